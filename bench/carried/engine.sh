# FOLDER ENGINE VERSION: unpack FOLDER/ENGINE.tar.xz, make it an installed engine, have it say its flags (which also
# compiles what it imports). Kernels that one start builds serve the next, which saves each a minute.
set -e
cd "$1"
python3 -c "import tarfile; tarfile.open('$2.tar.xz').extractall('.', filter='fully_trusted')"
home="$HOME/.cache/benchcard/engines/$2-$3-cuda-carried"
python="$(python3 -c 'import sys; print(sys.executable)')"
mkdir -p "$home/bin"
cat > "$home/bin/python" << P
#!/bin/sh
export PYTHONPATH=$1/site_$2\${PYTHONPATH:+:\$PYTHONPATH}
export PATH=\$PATH:$(dirname "$python"):/usr/local/cuda/bin CUDA_HOME=/usr/local/cuda
export TVM_FFI_CACHE_DIR=$1/built/tvm TRITON_CACHE_DIR=$1/built/triton VLLM_CACHE_ROOT=$1/built/vllm
exec $python "\$@"
P
chmod +x "$home/bin/python"
"$home/bin/python" - << P
import importlib.metadata as metadata, json
packages = sorted({f"{found.name}=={found.version}" for found in metadata.distributions() if found.name})
said = {"engine": "$2", "version": "$3", "device": "cuda", "packages": packages}
json.dump(said, open("$home/installed.json", "w"), indent=1)
P
own/bin/python -c "
from runners.engines.environment import Site
from runners.engines.install import listed
print('$2', [len(found.flags(Site())) for found in listed() if found.engine.name == '$2'], 'flags')"
touch "$1/$2.ready"
