# FOLDER, from the checkout there: unpack FOLDER/first.tar.xz, keep the checkout beside it
set -e
cp -r "$PWD" "$1/tree"
cd "$1"
python3 -c "import tarfile; tarfile.open('first.tar.xz').extractall('.', filter='fully_trusted')"
mkdir -p out
touch handed
cd tree
PYTHONPATH="$1/site:$1/tree" python3 -m app.cli --help > /dev/null # says at once what is missing
