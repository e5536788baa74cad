"""Several servers on one PostgreSQL: people of one room sit at different ones."""

from collections.abc import Callable

from tests.web.running import Running

from crosstalk.web.site import Site


def test_a_room_across_two_servers(fresh_postgres: str, open_site: Callable[..., Site]) -> None:
    first, second = open_site(fresh_postgres), open_site(fresh_postgres)
    with Running(first) as here, Running(second) as there:
        ursula, wim = here.worker("Ursula"), there.worker("Wim")
        user, wizard = ursula.sit_down(), wim.sit_down()
        user.must("wait", role="user")
        wizard.must("wait", role="wizard")
        for page in (user, wizard):
            page.until(lambda page=page: page.lobby.get("room"))
            page.hello(page.lobby["room"])
        assert user.room == wizard.room
        for number in range(3):
            user.must("say", text=f"Question {number}", sure=True)
            wizard.until(lambda: wizard.view["your_turn"])
            wizard.must("query", domain="hotel", slots={})
            wizard.must("say", text=f"Answer {number}", sure=True)
            user.until(lambda: user.view["your_turn"])
        texts = [event["text"] for event in user.events if event["kind"] == "turn"]
        assert texts == [event["text"] for event in wizard.events if event["kind"] == "turn"]
        assert len(texts) == 6
        wizard.close()
        user.until(lambda: user.view["partner"]["state"] == "away")
        back = wim.sit_down(wizard.room, wizard.seq)
        user.until(lambda: user.view["partner"]["state"] == "present")
        assert back.view["status"] == "open"
