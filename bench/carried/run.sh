# FOLDER SECONDS PLAN.json ...: measure them in this order, once both engines are there (a runner looks for
# engines when it starts), or one of them after two minutes; start it with setsid
cd "$1/tree"
folder="$1" seconds="$2"
shift 2
echo $$ > "$folder/pid"
for _ in $(seq 240); do [ -e "$folder/sglang.ready" ] && [ -e "$folder/vllm.ready" ] && break; sleep 0.5; done
python="$folder/own/bin/python"
"$python" -m bench.carried.killed "$folder/out" > "$folder/killed.log" 2>&1 &
"$python" -m bench.measured "$@" --out "$folder/out" --models "$folder/models" --seconds "$seconds" > "$folder/said" 2>&1
"$HOME/.cache/benchcard/engines/sglang-0.5.17-cuda-carried/bin/python" bench/carried/kernels.py "$folder/out/kernels.json" \
    >> "$folder/said" 2>&1
touch "$folder/over"
