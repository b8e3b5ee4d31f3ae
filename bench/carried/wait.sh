# FOLDER SECONDS OUT: until everything is over, or nothing runs; then what is new, in pieces under OUT
begun="$(date +%s)"
while [ $(($(date +%s) - begun)) -lt "$2" ] && [ ! -e "$1/over" ] && kill -0 "$(cat "$1/pid")"; do sleep 1; done
cat "$1"/*.setup "$1/said" "$1/killed.log"
tail -n 5 "$1/out/runner.log"
nvidia-smi --query-gpu=memory.used,utilization.gpu --format=csv,noheader
cd "$1/out" || exit 1
find . -maxdepth 1 -type f -newer "$1/handed" \( -name '*.zip' -o -name '*.log' -o -name '*.json' \) > "$1/new"
touch "$1/handed"
tar cz -T "$1/new" | split -b 15M -d -a 2 - "$3/out.tgz."
