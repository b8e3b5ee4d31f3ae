"""Every name of every version is sorted, once, and what is known to be dangerous is where it belongs (test S2)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from app.protocol.policy import census
from app.protocol.policy.values import Choice, parse
from tests.protocol.launches import CENSUSES

ENGINES = ("vllm", "sglang")
# From the engines' own guides, advisories and sources; see the reasons in the census.
NEVER = {
    "vllm": """tool-parser-plugin reasoning-parser-plugin io-processor-plugin middleware worker-cls worker-extension-cls
        scheduler-cls logits-processors model-class-overrides kv-transfer-config ec-transfer-config ec-manager-config
        trust-remote-code code-revision hf-overrides lora-modules enable-prompt-embeds enable-mm-embeds
        weight-transfer-config allowed-local-media-path chat-template download-dir ssl-keyfile ssl-certfile uds
        logging-config log-config-file profiler-config model-loader-extra-config generation-config hf-config-path host
        port allowed-media-domains otlp-traces-endpoint tool-server data-parallel-address data-parallel-rpc-port
        master-addr grpc-port kv-events-config api-key hf-token served-model-name device-ids config disable-log-stats
        model revision""",
    "sglang": """custom-weight-loader forward-hooks sidecar sidecar-args hicache-storage-backend
        hicache-storage-backend-extra-config unified-cache-external-linker-config trust-remote-code
        json-model-override-args lora-paths enable-custom-logit-processor delete-ckpt-after-loading crash-dump-folder
        debug-tensor-dump-output-folder debug-tensor-dump-input-file export-metrics-to-file-dir file-storage-path
        decrypted-config-file download-dir ssl-keyfile ssl-certfile ssl-ca-certs flexkv-config-file lmcache-config-file
        host port dist-init-addr encoder-urls otlp-traces-endpoint tool-server load-publish-endpoint disaggregation-mode
        remote-instance-weight-loader-seed-instance-ip decoupled-spec-connect-endpoints api-key admin-api-key
        served-model-name base-gpu-id gpu-id-step config model-path revision chat-template""",
}
APPROVE = {
    "vllm": "additional-config config-format tokenizer-revision pt-load-map-location enable-sleep-mode",
    "sglang": "warmups radix-cache-backend model-config-parser modelopt-quant enable-memory-saver",
}
VARIABLES = """LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT GLIBC_TUNABLES GCONV_PATH PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP
    PYTHONINSPECT PYTHONUSERBASE PYTHONBREAKPOINT PYTHONPYCACHEPREFIX BASH_ENV ENV IFS HOME TMPDIR XDG_CACHE_HOME CC CXX
    NVCC_APPEND_FLAGS MAX_JOBS CUDA_HOME CUDA_INJECTION64_PATH CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES
    NCCL_NET_PLUGIN NCCL_TUNER_PLUGIN NCCL_PROFILER_PLUGIN OMP_TOOL_LIBRARIES HTTPS_PROXY https_proxy SSL_CERT_FILE
    REQUESTS_CA_BUNDLE HF_ENDPOINT HF_HOME HF_TOKEN HUGGING_FACE_HUB_TOKEN TRANSFORMERS_CACHE AWS_SECRET_ACCESS_KEY
    S3_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS TRITON_CACHE_DIR TORCHINDUCTOR_CACHE_DIR TORCH_EXTENSIONS_DIR
    VLLM_PLUGINS VLLM_ALLOW_INSECURE_SERIALIZATION VLLM_SERVER_DEV_MODE VLLM_LOGGING_CONFIG_PATH VLLM_NCCL_SO_PATH
    VLLM_CUDART_SO_PATH VLLM_CUDA_COMPATIBILITY_PATH VLLM_RUST_FRONTEND_PATH VLLM_MODEL_REDIRECT_PATH
    VLLM_MEDIA_CONNECTOR VLLM_CONFIG_ROOT VLLM_CACHE_ROOT VLLM_DEBUG_DUMP_PATH VLLM_USAGE_STATS_SERVER
    VLLM_LORA_RESOLVER_CACHE_DIR VLLM_ALLOW_RUNTIME_LORA_UPDATING VLLM_USE_MODELSCOPE VLLM_API_KEY VLLM_HOST_IP
    VLLM_PORT
    SGLANG_PLUGINS SGLANG_PLATFORM SGLANG_EXTERNAL_MODEL_PACKAGE SGLANG_EXTERNAL_MM_PROCESSOR_PACKAGE
    SGLANG_HTTP_SERVER_APP_PATH SGLANG_TEST_RETRACT SGLANG_CACHE_DIR SGLANG_TORCH_PROFILER_DIR SGLANG_ZMQ_ALLOWED_PEERS
    SGLANG_USE_PICKLE_IPC SGLANG_ZBAL_BOOTSTRAP_URL SGL_PLUGINS BENCHCARD_RUNNER_TOKEN"""


def files(engine: str) -> list[dict[str, Any]]:
    """The census files of that engine's versions."""
    names = [name for name in census.versions() if name.startswith(f"{engine}-")]
    return [tomllib.loads((census.FOLDER / f"{name}.toml").read_text()) for name in names]


def by_kind(engine: str, part: str) -> list[str]:
    """Every name of an engine's classification, once for every time that it stands there."""
    said = tomllib.loads((census.FOLDER / f"{engine}.toml").read_text())[part]
    sorted_out = [name for kind in ("approve", "never") for names in said[kind].values() for name in names]
    return [*said["allow"], *sorted_out]


@pytest.mark.parametrize("name", CENSUSES)
def test_every_option_and_variable_of_a_version_is_sorted(name: str) -> None:
    found = CENSUSES[name]
    assert found is not None
    assert (found.unclassified(), len(found.options) > 200, len(found.variables) > 200) == ([], True, True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_that_nobody_has_sorted_is_reported_and_refused(engine: str) -> None:
    said = files(engine)[-1]
    new = said | {"switches": [*said["switches"], "run-anything"], "variables": [*said["variables"], "VLLM_ANYTHING"]}
    found = census.census(new)
    assert found.unclassified() == ["run-anything", "VLLM_ANYTHING"]
    assert found.flag("run-anything", True).level == "never"
    assert found.variable("VLLM_ANYTHING", "1").level == "never"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", ["flags", "env"])
def test_a_name_stands_in_the_classification_once_and_for_a_version_that_has_it(engine: str, part: str) -> None:
    names = by_kind(engine, part)
    assert sorted(names) == sorted(set(names))
    known = {name for said in files(engine) for name in (*said["switches"], *said["values"], *said["variables"])}
    assert not {name for name in names if "*" not in name} - known


@pytest.mark.parametrize("name", CENSUSES)
def test_an_allowed_option_can_be_given_in_every_version(name: str) -> None:
    found = CENSUSES[name]
    assert found is not None
    for flag, rule in found.rules.flags.allow.items():
        option = found.options.get(flag)
        assert option is None or (rule == parse("switch")) is not option.takes_value
        assert option is None or not isinstance(rule, Choice) or option.choices
    assert not [name for name in found.rules.env.allow if found.rules.env.refusal(name)]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_known_to_be_dangerous_is_never_set(engine: str) -> None:
    rules = census.rules(engine)
    assert not [name for name in NEVER[engine].split() if not rules.flags.refusal(name)]
    assert not [name for name in APPROVE[engine].split() if name not in rules.flags.approve]
    assert not [name for name in VARIABLES.split() if rules.variable(name, "1").level != "never"]


@pytest.mark.parametrize(
    ("flag", "value", "level"),
    [
        ("speculative-config", {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 3}, "allow"),
        ("speculative-config", {"model": "owner/draft", "num_speculative_tokens": 4}, "approve"),
        ("speculative-config", {"model": "pkg.Module", "num_speculative_tokens": 4}, "never"),
        ("speculative-config", {"model": "/models/draft"}, "never"),
        ("speculative-config", {"method": "custom_class"}, "never"),
        (
            "compilation-config",
            {"mode": 3, "cudagraph_mode": "FULL", "pass_config": {"fuse_norm_quant": True}},
            "allow",
        ),
        ("compilation-config", {"backend": "evil.module"}, "never"),
        ("compilation-config", {"pass_config": {"something": True}}, "approve"),
        ("distributed-executor-backend", "mp", "allow"),
        ("distributed-executor-backend", "ray", "approve"),
        ("distributed-executor-backend", "evil.Executor", "never"),
        ("load-format", "safetensors", "allow"),
        ("load-format", "pt", "never"),
        ("quantization", "gguf", "never"),
        ("attention-backend", "evil.backend", "never"),
        ("model-impl", "transformers", "approve"),
        ("max-num-seqs", 16, "allow"),
        ("max-num-seqs", "16", "never"),
        ("gpu-memory-utilization", 1.5, "never"),
        ("dtype", "float12", "never"),
        ("enforce-eager", "true", "never"),
        ("additional-config", {"a": 1}, "approve"),
        ("additional-config", True, "never"),
    ],
)
def test_a_value_is_looked_at_too(flag: str, value: Any, level: str) -> None:
    found = CENSUSES["vllm-0.32.0"]
    assert found is not None
    assert found.flag(flag, value).level == level


def test_a_variable_belongs_to_its_engine_and_version() -> None:
    vllm, older, sglang = (CENSUSES[name] for name in ("vllm-0.32.0", "vllm-0.25.1", "sglang-0.5.23"))
    assert vllm is not None
    assert older is not None
    assert sglang is not None
    assert vllm.variable("VLLM_USE_DEEP_GEMM", "1").level == "allow"
    assert vllm.variable("VLLM_USE_DEEP_GEMM", "maybe").level == "never"
    assert sglang.variable("VLLM_USE_DEEP_GEMM", "1").level == "never"
    assert (older.variable("VLLM_CPU_SGL_KERNEL", "1").level, vllm.variable("VLLM_CPU_SGL_KERNEL", "1").level) == (
        "allow",
        "never",
    )
    for found in (vllm, older, sglang):
        assert found.variable("OMP_NUM_THREADS", "8").level == "allow"
        assert found.variable("OMP_NUM_THREADS", "8; rm").level == "never"
    assert sglang.variable("SGLANG_SIMULATE_ACC_LEN", "3").level == "approve"


def test_a_build_has_the_census_of_its_version_and_a_version_without_one_has_none() -> None:
    assert census.of("vllm", "0.32.0+cpu") == census.of("vllm", "0.32.0")
    assert census.of("vllm", "0.31.9") is None
    assert census.of("vllm", "../vllm") is None


def test_every_key_of_a_value_that_needs_approval_is_named_to_the_one_who_approves() -> None:
    """A draft model and an acceptance that is set are two things to look at."""
    vllm = CENSUSES["vllm-0.25.1"]
    assert vllm is not None
    drafting = {"method": "draft_model", "model": "o/draft", "num_speculative_tokens": 5}
    forced = drafting | {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": 4.0}
    said = vllm.flag("speculative-config", forced)
    assert said.level == "approve"
    for key in ("model", "rejection_sample_method", "synthetic_acceptance_length"):
        assert f"speculative-config.{key} " in said.reason
    assert vllm.flag("speculative-config", forced | {"synthetic_acceptance_length": 0.5}).level == "never"
