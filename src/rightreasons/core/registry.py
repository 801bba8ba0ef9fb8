"""Names of sets and models: each stands for "module:attr", which is imported on first use."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core import options
from rightreasons.core.errors import InputError, RightReasonsError, UnknownNameError
from rightreasons.core.lazy_table import LazyTable, load_target
from rightreasons.core.parts import complete_audit, complete_export
from rightreasons.core.plugin_guard import guard_part
from rightreasons.core.plugins import PluginError, convert_plugin_errors, load_part

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rightreasons.core.parts import Audit, Export, Model, SetPart, Trainer

SET_PLUGINS = "rightreasons.sets"
MODEL_PLUGINS = "rightreasons.models"
TRAINER_PLUGINS = "rightreasons.trainers"
EXPORT_PLUGINS = "rightreasons.exports"
NETWORK_PLUGINS = "rightreasons.networks"
AUDIT_PLUGINS = "rightreasons.audits"
SETS = LazyTable(
    "set",
    {
        "hans": "rightreasons.sets.hans.hans:Hans",
        "hans-released": "rightreasons.sets.hans.hans:HansReleased",
        "stress/antonymy": "rightreasons.sets.stress.antonymy:Antonymy",
        "stress/numerical": "rightreasons.sets.stress.numerical:Numerical",
        "stress/word-overlap": "rightreasons.sets.stress.distraction:WordOverlap",
        "stress/negation": "rightreasons.sets.stress.distraction:Negation",
        "stress/length-mismatch": "rightreasons.sets.stress.distraction:LengthMismatch",
        "stress/spelling": "rightreasons.sets.stress.spelling:Spelling",
        "stress/source": "rightreasons.sets.stress.unmodified_pairs:Source",
        "nps": "rightreasons.sets.nps.nps:Nps",
        "random-pair": "rightreasons.sets.random_pair.random_pair:RandomPair",
        "simple-pair": "rightreasons.sets.simple_pair:SimplePair",
    },
    group=SET_PLUGINS,
)
# The word before the first colon of a model's name is its kind; the rest is the kind's first option.
MODELS = LazyTable(
    "model",
    {
        "default": "rightreasons.models.onnx:Embedded",
        "hf": "rightreasons.models.huggingface:HuggingFace",
        "net": "rightreasons.models.trained_network:Net",
        "onnx": "rightreasons.models.onnx:Onnx",
        "python": "rightreasons.models.python_function:PythonFunction",
        "http": "rightreasons.models.remote.served_model:Http",
        "https": "rightreasons.models.remote.served_model:Https",
        "openai": "rightreasons.models.remote.openai:OpenAI",
        "rules": "rightreasons.models.baselines:Rule",
        "constant": "rightreasons.models.baselines:Constant",
        "random": "rightreasons.models.baselines:Random",
        "file": "rightreasons.models.prediction_file:File",
    },
    group=MODEL_PLUGINS,
)
# Networks that `train` trains and `net:FOLDER` loads; each target is a `rightreasons.nets.declaration.Network`.
NETWORKS = LazyTable(
    "network",
    {
        "da": "rightreasons.nets.decomposable_attention:DECOMPOSABLE_ATTENTION",
        "esim": "rightreasons.nets.esim:ESIM",
        "spinn": "rightreasons.nets.spinn:SPINN",
        "nb": "rightreasons.nets.shortcut_stacked:SHORTCUT_STACKED",
        "ch": "rightreasons.nets.gated_attention:GATED_ATTENTION",
        "rc": "rightreasons.nets.inner_attention:INNER_ATTENTION",
        "infersent": "rightreasons.nets.infersent:INFERSENT",
        "bilstm": "rightreasons.nets.bilstm:BILSTM",
        "cbow": "rightreasons.nets.cbow:CBOW",
        "jiant": "rightreasons.nets.jiant:JIANT",
    },
    group=NETWORK_PLUGINS,
)
TRAINERS = LazyTable(
    "trainer",
    {
        "pretrain": "rightreasons.training.pretraining:Pretrainer",
        "transformer": "rightreasons.training.transformer:Transformer",
    },
    group=TRAINER_PLUGINS,
)
EXPORTS = LazyTable(
    "export",
    {
        "hf": "rightreasons.exports.hf:DatasetExport",
        "lm-eval": "rightreasons.exports.lm_eval:LmEvalExport",
        "inspect": "rightreasons.exports.inspect_task:InspectExport",
        "model-card": "rightreasons.exports.model_card:ModelCardExport",
        "mlflow": "rightreasons.exports.mlflow:MlflowExport",
        "wandb": "rightreasons.exports.wandb:WandbExport",
        "onnx": "rightreasons.exports.onnx:OnnxExport",
    },
    group=EXPORT_PLUGINS,
)
# In the order of a report.
AUDITS = LazyTable(
    "audit",
    {
        "heuristics": "rightreasons.audits.heuristics:HeuristicsAudit",
        "partial-input": "rightreasons.audits.partial_input:PartialInputAudit",
        "cues": "rightreasons.audits.cues:CuesAudit",
        "shape": "rightreasons.audits.shape:ShapeAudit",
        "antonyms": "rightreasons.audits.antonyms:AntonymsAudit",
        "frames": "rightreasons.audits.frames:FramesAudit",
        "duplicates": "rightreasons.audits.duplicates:DuplicatesAudit",
        "agreement": "rightreasons.audits.agreement:AgreementAudit",
        "corruption": "rightreasons.audits.corruption:CorruptionAudit",
    },
    group=AUDIT_PLUGINS,
)
NETWORK_TRAINER = "rightreasons.training.network_trainer:NetworkTrainer"
TEMPLATE_FILE = "rightreasons.sets.template_file:TemplateFile"
# A host with a port, or this machine, without http:// before it.
_ADDRESS_PATTERN = re.compile(r"([\w.-]+|\[[0-9a-f:]+\]):\d+(/\S*)?|localhost(/\S*)?", re.IGNORECASE)


def get_set_class(name: str) -> Callable[..., SetPart]:
    """Find the part behind a set's name or template file, without its options."""
    if SETS.has(name):
        part: Callable[..., SetPart] = SETS.load(name)
        return part
    if is_template_file(name):
        template_file: Callable[..., SetPart] = load_target(TEMPLATE_FILE)
        return template_file
    raise _build_unknown_set_error(name, SETS.list_names())


def make_set(name: str, given: Mapping[str, object]) -> SetPart:
    """Make a set by its name, or from the template file at that path."""
    own = {"path": name} if is_template_file(name) else {}
    part: SetPart = _build_guarded_part("set", name, get_set_class(name), {**own, **given})
    return part


def is_template_file(name: str) -> bool:
    """Return whether a name is the path of a template file; registered names take precedence."""
    return name.endswith(".toml") and not is_set_name(name)


def is_set_name(name: str) -> bool:
    """Return whether a set is registered under that name."""
    return SETS.has(name)


def _build_unknown_set_error(name: str, known: Collection[str]) -> InputError:
    """Explain why a name is not a set: it may be another file, or a path that does not exist."""
    if Path(name).is_file():
        return InputError(
            f"{name} is not a template file (.toml). Use `rightreasons convert` to convert its pairs to another format."
        )
    if Path(name).is_dir():
        return InputError(
            f"{name} is a folder. Pass a file of pairs or templates in it, or the name of a set: {', '.join(known)}."
        )
    in_a_family = name.partition("/")[0] in {
        known_name.partition("/")[0] for known_name in known if "/" in known_name
    }
    if (Path(name).suffix or Path(name).name != name) and not in_a_family:
        return InputError(
            f"There is no file {name}. Check the path, or pass the name of a set: {', '.join(known)}."
        )
    return UnknownNameError("set", name, known)


def get_model_class(name: str) -> Callable[..., Model]:
    """Find the part behind a model's name, without its options."""
    kind = name.partition(":")[0]
    if not MODELS.has(kind):
        raise _build_unknown_model_error(name)
    part: Callable[..., Model] = MODELS.load(kind)
    return part


def _build_unknown_model_error(name: str) -> InputError:
    """Explain why a name is not a model: its kind may be missing."""
    if name.partition(":")[0] == "majority":
        return InputError(
            f"{name!r} is not a model: evaluate computes the majority baseline from the gold labels of each set. "
            "Use constant:LABEL for a model that always predicts one label."
        )
    if Path(name).is_file():
        return InputError(f"{name!r} is a file, not a model. Use file:{name} to use its predictions.")
    if any((Path(name) / card).is_file() for card in ("config.json", "network.json")):
        is_net = (Path(name) / "network.json").is_file()
        kind = "net" if is_net else "onnx" if any(Path(name).glob("*.onnx")) else "hf"
        return InputError(f"{name!r} is a folder, not a model. Use {kind}:{name} to run the model in it.")
    if _ADDRESS_PATTERN.fullmatch(name):
        return InputError(
            f"{name!r} is the address of a server, not a model. Use http://{name} to run the model of that server."
        )
    return UnknownNameError("model", name, list_model_names())


def make_model(name: str, given: Mapping[str, object]) -> Model:
    """Make a model by its name, such as constant:neutral, rules:subsequence or file:PATH."""
    part = get_model_class(name)
    own = _parse_model_argument(name, part)
    twice = [key for key in own if key in given]
    if twice:
        raise InputError(
            f"The option {twice[0]!r} is given twice: in {name!r} and separately. Remove one of the two."
        )
    model: Model = _build_guarded_part("model", name, part, {**own, **given})
    return model


def load_network_declaration(name: str) -> Any:
    """Load the declaration of a network."""
    network = NETWORKS.load(name)
    if network.name != name:
        raise InputError(
            f"{NETWORKS.find_targets()[name]} declares the network {network.name!r}. Register it under that name, "
            f"not as {name!r}."
        )
    return network


def list_trainer_names() -> list[str]:
    """List what can be trained: the networks, then the other trainers."""
    return [*NETWORKS.list_names(), *TRAINERS.list_names()]


def get_trainer_class(name: str) -> Callable[..., Any]:
    """Return the class that declares the options of a network, or of a trainer such as transformer."""
    if NETWORKS.has(name):
        declared: Callable[..., Any] = load_network_declaration(name).options
        return declared
    if not TRAINERS.has(name):
        raise UnknownNameError("trainer", name, list_trainer_names())
    part: Callable[..., Any] = TRAINERS.load(name)
    return part


def make_trainer(name: str, given: Mapping[str, object]) -> Trainer:
    """Make a trainer by its name; that of a network is built from the network's declaration."""
    if not NETWORKS.has(name):
        trainer: Trainer = _build_guarded_part("trainer", name, get_trainer_class(name), given)
        return trainer
    chosen = options.build_part(get_trainer_class(name), given, title=name)
    built: Trainer = load_part("trainer", name, NETWORK_TRAINER, foreign=False)(
        load_network_declaration(name), chosen
    )
    return built if name in NETWORKS else guard_part("trainer", name, built)


def get_export_class(name: str) -> Callable[..., Export]:
    """Find an export by its name, such as lm-eval, without its options."""
    part: Callable[..., Export] = EXPORTS.load(name)
    return part


def make_export(name: str, given: Mapping[str, object]) -> Export:
    """Make an export by its name."""
    part = get_export_class(name)
    if name in EXPORTS:
        return options.build_part(part, given)
    with convert_plugin_errors(f"The export {name!r} can't be created"):
        return complete_export(options.build_part(part, given))


def get_audit_class(name: str) -> Callable[..., Audit]:
    """Find an audit by its name, such as cues, without its options."""
    part: Callable[..., Audit] = AUDITS.load(name)
    return part


def make_audit(name: str, given: Mapping[str, object]) -> Audit:
    """Make an audit by its name."""
    part = get_audit_class(name)
    if name in AUDITS:
        return options.build_part(part, given)
    with convert_plugin_errors(f"The audit {name!r} can't be created"):
        return complete_audit(options.build_part(part, given))


def list_set_names() -> list[str]:
    """List the registered sets: the built-in ones first, then those of plugins."""
    return SETS.list_names()


def list_working_sets() -> list[str]:
    """List the registered sets without the broken ones of plugins."""
    broken = find_broken_sets()
    return [name for name in list_set_names() if name not in broken]


def find_broken_sets() -> dict[str, str]:
    """List the sets of plugins that can't be made, each with the reason."""
    faults = {
        name: _find_set_fault(name, target) for name, target in SETS.find_plugin_targets() if name not in SETS
    }
    return {name: fault for name, fault in faults.items() if fault}


def list_model_kinds() -> list[str]:
    """List the kinds of models: the built-in ones first, then those of plugins."""
    return MODELS.list_names()


def list_model_names() -> list[str]:
    """List the registered models, with the arguments that a kind can take."""
    return [name for kind in list_model_kinds() for name in _list_names_of_kind(kind)]


@lru_cache(maxsize=256)  # a trial may take a plugin long, and a run asks several times
def _find_set_fault(name: str, _target: str) -> str | None:
    """Try a set of a plugin, and return what is wrong with it."""
    try:
        part = make_set(name, {})
    except InputError as error:
        return str(error)
    try:
        plan = part.plan(size=None, limit=None, seed=0, split="eval")
        _ = plan.card, plan.rows(0, min(1, len(plan)))
    except PluginError as error:
        return str(error)
    except RightReasonsError:  # what is missing here, such as a corpus, a run may supply
        return None
    return None


def _list_names_of_kind(kind: str) -> list[str]:
    try:
        part = get_model_class(kind)
    except InputError:  # a broken plugin has a name all the same
        return [kind]
    needed = options.list_required_options(part)
    if not needed:
        return [kind]
    allowed = options.list_allowed_words(options.get_schema(part)[needed[0]])
    return [f"{kind}:{word}" for word in allowed or [needed[0].upper()]]


def _parse_model_argument(name: str, part: Callable[..., Model]) -> dict[str, object]:
    kind, colon, argument = name.partition(":")
    schema = options.get_schema(part)
    needed = options.list_required_options(part)
    if not colon and not needed:
        return {}
    if not schema:
        raise InputError(
            f"The model {kind!r} takes no argument, but {argument!r} was given. Use {kind} alone."
        )
    first = next(iter(schema))
    allowed = options.list_allowed_words(schema[first])
    if not argument or (allowed and argument not in allowed):
        raise _build_model_argument_error(name, kind, first, allowed)
    return {first: argument}


def _build_model_argument_error(name: str, kind: str, first: str, allowed: tuple[str, ...]) -> InputError:
    if allowed:
        return UnknownNameError("model", name, [f"{kind}:{word}" for word in allowed])
    return InputError(f"The model {name!r} has no {first}. Use {kind}:{first.upper()}.")


def _build_guarded_part(kind: str, name: str, part: Callable[..., Any], given: Mapping[str, object]) -> Any:
    """Make a part from its options; that of a plugin is guarded, so that its errors name it."""
    if str(getattr(part, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]:
        return options.build_part(part, given)
    with convert_plugin_errors(f"The {kind} {name!r} can't be created"):
        built = options.build_part(part, given)
    return guard_part(kind, name, built)
