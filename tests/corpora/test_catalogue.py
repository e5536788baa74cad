"""The catalogue is complete, says nothing twice, and agrees with the files we have."""

import hashlib
import re
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from crosstalk.corpora.catalogue import Dataset, RemoteFile, catalogue, find, templates
from crosstalk.errors import InputError

DATASETS = list(catalogue().values())


def test_every_corpus_of_the_design_is_there() -> None:
    assert list(catalogue()) == [
        "crosswoz",
        "crosswoz_en",
        "multiwoz",
        "multiwoz_zh",
        "multiwoz_ru",
        "woz2",
        "xsid",
        "tatoeba",
        "irc",
        "multiwoz22",
        "multiwoz23",
        "multiwoz24",
        "sgd",
        "ubuntu",
        "multi2woz",
        "opensubtitles",
    ]


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_an_entry_is_complete(dataset: Dataset) -> None:
    assert dataset.title and dataset.licence and dataset.attribution and dataset.files
    assert all(dataset.attribution)
    places = [file.place for file in dataset.files]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_its_files_are_well_described(dataset: Dataset) -> None:
    for file in dataset.files:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", file.repository), file
        assert re.fullmatch(r"[0-9a-f]{8,40}|HEAD", file.revision), file
        assert re.fullmatch(r"([0-9a-f]{40})?", file.blob), file
        assert re.fullmatch(r"([0-9a-f]{64})?", file.sha256), file
        assert file.size is None or file.size > 0, file
        for path in (PurePosixPath(file.path), PurePosixPath(file.to)):
            assert not path.is_absolute() and ".." not in path.parts, file
        for template in templates():
            assert file.url(template).startswith("https://"), file


def test_the_training_file_of_crosswoz_has_its_known_blob_id() -> None:
    train = next(file for file in find("crosswoz").files if file.to == "train.json.zip")
    assert train.blob == "57eb9cbd004a2e59f301f9e1bdc5500ddf2a98ef"
    assert train.url(templates()[0]) == (
        "https://raw.githubusercontent.com/thu-coai/CrossWOZ/"
        "df82c9fdff91b9b130f2d6b89110d3870ba6260e/data/crosswoz/train.json.zip"
    )


def test_files_of_other_servers_and_those_that_come_by_hand() -> None:
    subtitles = find("opensubtitles").files[0]
    assert subtitles.url(templates()[0]).startswith("https://object.pouta.csc.fi/")
    mirrored = subtitles.url(templates("http://mirror.invalid")[0])
    assert mirrored == (
        "http://mirror.invalid/Helsinki-NLP/OPUS/HEAD/OpenSubtitles/v2018/moses/ar-en.txt.zip"
    )
    file = find("multi2woz").files[0]
    assert file.record(templates()[0])["by_hand"]
    numbered = [each.to for each in find("sgd").files if each.to.startswith("dev/")]
    assert numbered[1] == "dev/dialogues_001.json" and len(numbered) == 21


def test_names_with_spaces_become_addresses() -> None:
    file = RemoteFile("d", "a b/ü.txt", "ü.txt", "owner/name", "main")
    assert file.url(templates("http://mirror.invalid/x/")[0]) == (
        "http://mirror.invalid/x/owner/name/main/a%20b/%C3%BC.txt"
    )


def test_a_wrong_name_is_answered_with_near_ones() -> None:
    with pytest.raises(InputError) as unknown:
        find("croswoz")
    assert "'croswoz'" in unknown.value.message
    assert "Did you mean crosswoz or crosswoz_en?" in unknown.value.remedy
    with pytest.raises(InputError, match="There are: crosswoz, "):
        find("")


def published_bytes(folder: Path, file: RemoteFile) -> bytes | None:
    """The bytes of a published file: as it is, or as a member of a zip that was made of several."""
    path = folder / file.place
    if path.is_file():
        return path.read_bytes()
    zips = [path.with_suffix(".zip"), path.parent.with_suffix(".zip"), path.parent / "valid.zip"]
    zips.append(path.parent.with_name(f"{path.parent.name}_{path.name.partition('_')[0]}.zip"))
    for candidate in filter(Path.is_file, zips):
        with zipfile.ZipFile(candidate) as archive:
            members = {PurePosixPath(name).name: name for name in archive.namelist()}
            if len(members) == 1 and path.suffix == ".txt":
                return archive.read(next(iter(members.values())))
            if path.name in members:
                return archive.read(members[path.name])
    return None


WITHOUT_COPY = {"crosswoz": 2, "multiwoz24": 2, "ubuntu": 3}
"""Files with a digest that no data folder of ours has: training and test of CrossWOZ, and these."""


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_real_files_have_the_published_digests(data_folder: Path, dataset: Dataset) -> None:
    compared = 0
    for file in dataset.files:
        body = published_bytes(data_folder, file)
        if body is None or not file.has_digest:
            continue
        blob = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
        assert (file.size or len(body), file.blob or blob) == (len(body), blob), file.place
        assert file.sha256 in ("", hashlib.sha256(body).hexdigest()), file.place
        compared += 1
    known = sum(file.has_digest for file in dataset.files)
    assert compared == known - WITHOUT_COPY.get(dataset.name, 0)
