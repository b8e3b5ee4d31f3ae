"""Cards that show what a card looks like: one in full, and the template that an article printed. Pure text.

The article's template still lists its choices; a card with them in is taken, each open choice with a warning.
"""

from __future__ import annotations

LONG = """\
title: DSpark on, simulated acceptance
engine:
  name: sglang
  commit: 835c390
model:
  id: deepseek-ai/DeepSeek-V4.1-Flash
  weights: real
hardware:
  accelerator: GB300
  count: 4
  interconnect: NVLink 5
parallelism:
  tp: 4
  ep: 1
dtypes:
  weights: FP8
  kv: fp8
speculation:
  method: dspark
  draft_tokens: 5
  acceptance: simulated
  accept_length: 5.5
approximations: []
workload:
  input_tokens: 4096
  output_tokens: 1024
  dataset: uniform random token ids
  seed: 42
  chat_template: false
  temperature: 0
  ignore_eos: true
  prefix_cache: cleared before each run
  concurrency: 1
runs:
  count: 6
  warmup_discarded: 1
  statistic: median
metric:
  axis: decode_rate
result:
  value: 873.63
  unit: tok/s
excludes:
  - full prefill
quality:
  checked: false
launch:
  argv:
    - python
    - -m
    - sglang.launch_server
    - --model-path
    - deepseek-ai/DeepSeek-V4.1-Flash
    - --tp
    - 4
  env:
    SGLANG_SIMULATE_ACC_LEN: 5.5
"""

SHORT = """\
# bench-card.yaml: fill this in before you quote any serving number.
engine:            vllm | sglang   # exact version or commit
model:             deepseek-ai/DeepSeek-V4.1-Flash
hardware:          4x GB300        # chip, count, interconnect
parallelism:       TP4 | DEP2 | EP4
kv_dtype:          fp8 | nvfp4
speculation:       off | dspark    # if on: simulated or measured accept length?
approximations:    swa-bounded-replay on | off
workload:
  input_tokens:    4096            # SGLang: random ids, seed 42, no chat template
  output_tokens:   1024            # temperature 0, ignore_eos true
  concurrency:     1               # or the session count for an agentic trace
  prefix_cache:    cleared before each run
runs:              6               # one warm-up discarded; report the median
metric:            decode tokens/s | TPGS at P90 interactivity above 50 tok/s
excludes:          full prefill?   # SGLang measures first to last streamed event
quality_checked:   yes | no        # no means the speed number is unverified
"""

FILLED = """\
engine:            sglang@835c390
model:             deepseek-ai/DeepSeek-V4.1-Flash
hardware:          4x GB300
parallelism:       TP4
kv_dtype:          fp8
speculation:       off
approximations:    none
workload:
  input_tokens:    4096
  output_tokens:   1024
  concurrency:     1
  prefix_cache:    cleared before each run
runs:              6
metric:            decode tokens/s
result:            {value: 223.50, unit: tok/s}
excludes:          full prefill
quality_checked:   no
"""
