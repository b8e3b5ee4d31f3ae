# FOLDER, from the checkout there: unpack FOLDER/first.tar.xz, keep the checkout beside it, and make FOLDER/own, a Python
# that has both and the machine's packages in its own folders: a runner starts its parts without PYTHONPATH
set -e
cp -r "$PWD" "$1/tree"
cd "$1"
python3 -c "import tarfile; tarfile.open('first.tar.xz').extractall('.', filter='fully_trusted')"
mkdir -p out
touch handed
python3 -m venv --without-pip own
there="$(python3 -c 'import os, numpy; print(os.path.dirname(os.path.dirname(numpy.__file__)))')"
printf '%s\n' "$1/site" "$1/tree" "$there" > "$(own/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/carried.pth"
cd /
for part in app.cli runners.attempt runners.supervisor; do # says at once what is missing
    "$1/own/bin/python" -I -c "import $part"
done
"$1/own/bin/python" -m app.cli --help > /dev/null
