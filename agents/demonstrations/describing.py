"""What a dataset says about itself: its metadata, and its README."""

import importlib.metadata
import json
import shlex
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import plural

from ..command_words import option_words, typed
from ..evaluation import Score, compare
from .request import Request

REFERENCE_EPISODES = 100
"""Episodes of the random agent, whose mean return is the 0 of normalized scores."""
_KNOWN_INFOS = {
    "action_mask": "1 where an action changes anything",
    "is_success": "is the puzzle solved?",
    "outcome": "how the episode ended; `unfinished` until then, and at the step limit",
}


def metadata(request: Request, dataset_id: str, author: str, score: Score) -> dict[str, Any]:
    """Return the metadata of a dataset, as Minari's datasets have them, without the counts.

    Args:
        request: What the dataset holds.
        dataset_id: Its name.
        author: Who made it.
        score: The results of its episodes.
    """
    kwargs = dict(request.env_kwargs)
    reference = compare(request.env_id, ["random"], REFERENCE_EPISODES, request.seed, env_kwargs=kwargs, progress=False)
    if not reference.scores:
        raise KeyboardInterrupt
    return {
        "dataset_id": dataset_id,
        "algorithm_name": request.agent,
        "author": {author},
        "description": " ".join(_introduction(request, score)),
        "minari_version": importlib.metadata.version("minari"),
        "requirements": [f"gridpuzzles_gym>={__version__}"],
        "ref_min_score": reference.scores[0].mean_return,
        "ref_max_score": score.mean_return,
        "num_episodes_average_score": REFERENCE_EPISODES,
        "agent_description": request.agent_description,
        "request": request.to_json(),
    }


def readme(request: Request, dataset_id: str, score: Score) -> str:
    """Return the README of a dataset, in Markdown.

    Args:
        request: What it holds.
        dataset_id: Its name, the end of its path below Minari's folder.
        score: The results of its episodes.
    """
    env = gym.make(request.env_id, **request.env_kwargs)
    config = config_of(env)
    _, info = env.reset(seed=request.seed)
    env.close()
    actions = ", ".join(f"{number} {name}" for number, name in enumerate(config.action_names))
    rows = [
        ("observations", "L + 1", f"`observation={json.dumps(config.observation)}`: {_kind(env.observation_space)}"),
        ("actions", "L", actions),
        ("rewards", "L", "float64"),
        ("terminations, truncations", "L", "bool; `truncations`: the step limit was reached"),
        *((f"infos: {name}", "L + 1", _KNOWN_INFOS.get(name, "of this puzzle")) for name in info),
    ]
    return f"""# {dataset_id}

{" ".join(_introduction(request, score))}

| return ± 95 % | success | deaths | timeouts | steps |
|---|---|---|---|---|
| {score.mean_return:+.2f} ± {score.interval:.2f} | {score.success:.2%} | {score.deaths:.2%} | {score.timeouts:.2%} \
| {score.steps:.2f} |

`{request.agent}`: {request.agent_description}.

## What is in it

A [Minari](https://minari.farama.org) dataset. In an episode of L steps:

| array | entries | |
|---|---|---|
{chr(10).join(f"| {name} | {entries} | {text} |" for name, entries, text in rows)}

Each episode's `seed`, in its metadata, gives the same episode again: `env.reset(seed=seed)`, then its actions. There is
one for every seed from {request.seed} on{", except where the puzzle was not solved" if request.only_successes else ""}.

## How to load it

```python
import minari

dataset = minari.MinariDataset("{dataset_id.rpartition("/")[2]}/data")  # the path of this folder, then /data
env = dataset.recover_environment()
```

`minari.load_dataset("{dataset_id}")` finds it below Minari's folder: `~/.minari/datasets`, or the one that the
environment variable `MINARI_DATASETS_PATH` names.

## How it was made

With gridpuzzles_gym {__version__}:

```bash
{command(request)} --out {dataset_id.rpartition("/")[2]}
```
"""


def command(request: Request) -> str:
    """Return the command that makes the episodes of a request, without ``--out``."""
    words = ["gridpuzzles", "demonstrate", request.env_id, "--agent", request.agent]
    words += ["--episodes", str(request.episodes), "--seed", str(request.seed)]
    words += ["--deterministic"] * request.deterministic + ["--only-successes"] * request.only_successes
    return shlex.join([*words, *option_words(request.env_kwargs)])


def _introduction(request: Request, score: Score) -> list[str]:
    played = plural(score.episodes, "episode")
    sentences = [f"{played} of {request.env_id} ({request.puzzle.title}), played by the agent `{request.agent}`."]
    if request.only_successes:
        sentences.append(f"Of {request.episodes:,} episodes, those that were not solved are left out.")
    settings = _settings(request.env_kwargs)
    if settings:
        sentences.append(f"Settings of the environment: {settings}.")
    return sentences


def _settings(kwargs: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in kwargs.items() if value is not None}
    levels = shown.get("levels")
    if levels is not None and (not isinstance(levels, str) or "\n" in levels):
        shown["levels"] = "levels of its own, which are part of its specification"
    return ", ".join(f"{name}={typed(value)}" for name, value in shown.items())


def _kind(space: gym.Space[Any]) -> str:
    return f"{space.dtype}[{', '.join(map(str, space.shape or ()))}]"
