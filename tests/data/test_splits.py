import numpy as np
import pytest

from unseen.data import ClassTable, ZeroShotDataset, load_dataset, make_zero_shot
from unseen.data.benchmarks.known import read_benchmarks
from unseen.data.splits import apply_split, resplit
from unseen.utils.errors import InputError


def test_own_list_in_any_spelling(npz):
    data = load_dataset(npz(), split=["Horse_Mare", "okapi"])
    assert data.unseen_classes.tolist() == ["okapi", "horse+mare"]
    assert data.train.tolist() == [0, 1, 2, 9, 10, 11]
    assert data.test_seen.size == 0


def test_own_list_in_a_file(npz, tmp_path):
    (tmp_path / "unseen.txt").write_text("# strangers\n\nhorse mare\n", encoding="utf-8-sig")
    for path in (tmp_path / "unseen.txt", str(tmp_path / "unseen.txt")):
        assert load_dataset(npz(), split=path).unseen_classes.tolist() == ["horse+mare"]


def test_random_splits_follow_their_seed(npz):
    path = npz()
    splits = [load_dataset(path, split=f"random:{seed}", n_unseen=2).unseen_classes.tolist() for seed in range(8)]
    again = [load_dataset(path, split=f"random:{seed}", n_unseen=2).unseen_classes.tolist() for seed in range(8)]
    assert splits == again
    assert len({tuple(split) for split in splits}) > 2
    assert all(len(split) == 2 for split in splits)
    assert len(load_dataset(path, split="random:0").unseen_classes) == 1


def test_random_splits_take_only_classes_with_rows(npz):
    path = npz(y=np.repeat([0, 1, 2], 4), trainval_loc=None, test_seen_loc=None, test_unseen_loc=None)
    chosen = {load_dataset(path, split=f"random:{seed}").unseen_classes[0] for seed in range(10)}
    assert chosen == {"zebra", "okapi", "horse+mare"}


def test_seen_rows_held_out_by_share(npz):
    path = npz()
    data = load_dataset(path, split=["lion"], seen_fraction=0.4, random_state=1)
    assert sorted(data.y_test_seen.tolist()) == ["horse+mare", "okapi", "zebra"]
    assert sorted([*data.train, *data.test_seen]) == list(range(9))
    again = load_dataset(path, split=["lion"], seen_fraction=0.4, random_state=1)
    assert np.array_equal(data.test_seen, again.test_seen)
    others = [load_dataset(path, split=["lion"], seen_fraction=0.4, random_state=k).test_seen for k in range(5)]
    assert any(not np.array_equal(data.test_seen, other) for other in others)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"split": "propsed"}, r"split='propsed' is neither .*did you mean 'proposed'\?.*'proposed', 'standard', 'ra"),
        ({"split": "standard-40/10"}, "split='standard-40/10' is neither a split of"),
        ({"split": ["lynx"]}, "split names classes that the class table does not describe: 'lynx'"),
        ({"split": ["lion", "Lion"]}, "split names a class twice"),
        ({"split": []}, "test_unseen is empty"),
        ({"split": ["lion", "okapi", "zebra"]}, "at least two seen classes"),
        ({"split": "random"}, "has no seed: write 'random:0'"),
        ({"split": "random:x"}, "has no seed"),
        ({"split": "random:0", "n_unseen": 3}, "n_unseen must be .* at most 2"),
        ({"n_unseen": 3}, "n_unseen=3 is for random splits"),
        ({"seen_fraction": 0.2}, "the proposed split names its test rows"),
        ({"split": "standard", "seen_fraction": 1}, "seen_fraction=1 leaves no training rows"),
        ({"split": "standard", "seen_fraction": -0.1}, "seen_fraction must be"),
        ({"split": "standard", "seed": 1}, "has no parameter 'seed': choose among 'attributes', 'missing', 'n_unseen'"),
        ({"split": 3}, "split must be a list"),
    ],
)
def test_bad_splits_get_a_sentence(npz, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        load_dataset(npz(), **arguments)


def test_classes_without_rows_cannot_be_unseen(npz):
    path = npz(y=np.repeat([0, 1, 2], 4))
    with pytest.raises(InputError, match="split names classes that have no rows: 'lion'"):
        load_dataset(path, split=["lion", "okapi"])


def test_no_split_at_all_gets_a_sentence(npz):
    left_out = dict.fromkeys(["trainval_loc", "test_seen_loc", "test_unseen_loc", "unseen_standard"])
    with pytest.raises(InputError, match=r"split=None, but .*animals\.npz comes with no split: choose 'random:0'"):
        load_dataset(npz(**left_out))


def test_standard_split_of_awa(awa):
    data = apply_split(awa, "standard")
    assert (len(data.train), len(data.test_unseen)) == (24295, 6180)
    assert (len(data.seen_classes), len(data.unseen_classes)) == (40, 10)
    assert set(data.unseen_classes) == set(apply_split(awa, "standard-40/10").unseen_classes)
    spelt = [name.replace("+", " ").title() for name in data.unseen_classes]
    assert np.array_equal(apply_split(awa, spelt).test_unseen, data.test_unseen)


def test_standard_split_of_cub(cub):
    data = apply_split(cub, "standard")
    assert (len(data.train), len(data.test_unseen)) == (8855, 2933)
    assert (len(data.seen_classes), len(data.unseen_classes)) == (150, 50)


def test_proposed_splits(cub, awa):
    assert repr(apply_split(cub, "proposed")).endswith("7057 train, 1764 test_seen, 2967 test_unseen>")
    assert repr(apply_split(awa)).endswith("19832 train, 4958 test_seen, 5685 test_unseen>")


def test_own_list_of_cub_joins_by_name(cub, shared_data):
    data = apply_split(cub, shared_data / "cub_images" / "unseen.txt")
    assert np.array_equal(data.test_unseen, np.sort(apply_split(cub).test_unseen))


def test_features_stay_as_stored(cub):
    data = apply_split(cub)
    assert data.X is cub.X
    assert data.X.dtype == np.float16


def test_facts_agree_with_each_other():
    for known in read_benchmarks().values():
        assert sum(known.proposed.images) == known.images
        assert known.proposed.seen + known.proposed.unseen == known.classes
        assert not known.class_names or len(set(known.class_names)) == known.classes
        for split in known.standard:
            seen, unseen = map(int, split.name.split("/"))
            assert seen + unseen == known.classes
            assert sum(split.images) == known.images
            assert split.unseen is None or len(set(split.unseen)) == unseen
            assert not known.class_names or set(split.unseen) <= set(known.class_names)
        if known.table_1 is not None:
            assert known.standard[0].name == f"{known.table_1.seen}/{known.table_1.unseen}"
            assert known.table_1.images == known.images


def test_a_dataset_split_anew_is_the_random_split_of_its_file(npz):
    path = npz()
    for seed in range(5):
        again = resplit(load_dataset(path, split=["lion"]), seed, n_unseen=2)
        loaded = load_dataset(path, split=f"random:{seed}", n_unseen=2)
        assert again.fingerprint() == loaded.fingerprint()


def test_a_dataset_split_anew_has_classes_and_held_out_rows_in_the_same_numbers():
    data = make_zero_shot(n_seen=8, n_unseen=4, n_per_class=12, n_test_per_class=4, random_state=0)
    again = resplit(data, 3)
    assert len(again.unseen_classes) == 4
    assert set(again.unseen_classes) != set(data.unseen_classes)
    # Classes that were seen bring 16 rows and the others 4; a quarter of each is held out if the class is seen.
    counts = {label: np.sum(again.y_test_seen == label) for label in again.seen_classes}
    assert counts == {label: 1 if label in data.unseen_classes else 4 for label in again.seen_classes}
    parts = [again.train, again.test_seen, again.test_unseen]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(data.X)))
    assert again.X is data.X


def test_splitting_anew_keeps_unused_rows_unused():
    table = ClassTable(np.eye(4), [5, 7, 6, 8])
    data = ZeroShotDataset(np.eye(8), [5, 5, 7, 7, 6, 6, 8, 8], table, [0, 2, 4], [], [6])
    for seed in range(6):
        again = resplit(data, seed)
        assert set(again.train) | set(again.test_unseen) == {0, 2, 4, 6}
        assert not again.test_seen.size
    with pytest.raises(InputError, match="n_unseen must be a whole number of at least 1 and at most 2, got 3"):
        resplit(data, 0, n_unseen=3)
