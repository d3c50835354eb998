"""Who may ask."""

from pathlib import Path
from typing import Any

import pytest
from commands import run
from serving import Client, serving

from unseen.server import Access, Service
from unseen.utils.errors import InputError

TOKEN = "s3cret-of-this-test"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "169.254.1.1", "[", ""])
def test_another_name_of_this_machine_is_refused(client: Client, host: str) -> None:
    found = client.ask("/healthz", Host=host)
    assert found.status == 421
    assert found.error["type"] == "wrong_host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:80"])
def test_names_of_this_machine_are_answered(client: Client, host: str) -> None:
    assert client.ask("/healthz", Host=host).status == 200


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}]
)
def test_pages_of_other_sites_are_refused(client: Client, headers: Any) -> None:
    found = client.ask("/classes", **headers)
    assert found.status == 403
    assert "access-control-allow-origin" not in found.headers


def test_the_own_page_is_answered_and_no_other_is_allowed_to_read(client: Client) -> None:
    found = client.ask("/classes", Origin=f"http://127.0.0.1:{client.port}", Sec_Fetch_Site="same-origin")
    assert found.status == 200
    assert not [name for name in found.headers if name.startswith("access-control")]


def test_a_token_is_needed_for_everything_but_health(service: Service) -> None:
    access = Access("127.0.0.1", TOKEN)
    assert TOKEN not in repr(access) + repr(vars(service))
    with serving(service, access) as client:
        assert client.ask("/healthz").status == 200
        for path in ("/classes", "/metrics", "/openapi.json", "/nowhere"):
            for wrong in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"):
                found = client.ask(path, Authorization=wrong)
                assert found.status == 401
                assert found.headers["www-authenticate"] == "Bearer"
                assert TOKEN not in found.content.decode()
        assert client.ask("/classes", Authorization=f"Bearer {TOKEN}").status == 200
        assert client.ask("/classes", Authorization=f"bearer {TOKEN}").status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_hosts_need_a_token(host: str) -> None:
    with pytest.raises(InputError, match="needs a token: set UNSEEN_TOKEN"):
        Access(host)
    Access(host, TOKEN).check({"host": "anything", "authorization": f"Bearer {TOKEN}"})


@pytest.mark.parametrize("token", ["", " ", "a\nb", "schlüssel"])
def test_tokens_that_a_header_cannot_hold_are_refused(token: str) -> None:
    with pytest.raises(InputError, match="token"):
        Access("127.0.0.1", token)


def test_the_command_refuses_before_it_reads_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNSEEN_TOKEN", raising=False)
    result = run("serve", tmp_path / "missing.unseen", "--host", "0.0.0.0")
    assert result.exit_code == 2
    assert "host=0.0.0.0 can be reached from other machines" in result.output
    monkeypatch.setenv("UNSEEN_TOKEN", TOKEN)
    result = run("serve", tmp_path / "missing.unseen", "--host", "0.0.0.0")
    assert "missing.unseen" in result.output
    assert TOKEN not in result.output
