"""A full dialogue on the built-in world, by two real browsers, without a mouse."""

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.running import Running

from crosstalk.web.collect.corpus_export import collected


def tick(user: Person, slot: str) -> None:
    user.press("Alt+g")
    user.tab_to(user.find(f'.cell:has(.slot-name:text-is("{slot}")) .cell-name input'))
    user.press("Space")


def fill(user: Person, slot: str, value: str) -> None:
    user.press("Alt+g")
    user.tab_to(user.find(f'.cell:has(.slot-name:text-is("{slot}")) .cell-value input'))
    user.type(value)
    user.press("Enter")
    expect(user.find(f'.cell:has(.slot-name:text-is("{slot}")) .cell-value.filled')).to_be_visible()


def test_two_people_finish_a_dialogue_by_keyboard(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").join(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)

    user.sees("The visit should take 1 to 2 hours. Admission should be not free.")
    expect(user.find("#finish")).to_be_disabled()
    user.press("Alt+m")
    user.type("Hello! Is there something to see for 1 to 2 hours?")
    user.press("Enter")
    expect(user.find("#hints")).to_contain_text("is not ticked")
    user.press("Tab", "Enter")  # the button that mends it
    expect(user.find("#says-list")).to_contain_text("visit length: 1 to 2 hours")
    tick(user, "name")
    user.press("Alt+m", "Enter")
    hears(wizard, "Hello! Is there something to see for 1 to 2 hours?")

    expect(wizard.find("#heard-text")).to_have_text(
        "Hello! Is there something to see for 1 to 2 hours?"
    )
    wizard.press("Alt+1")
    wizard.tab_to(wizard.find('#fields label:has-text("visit length") select'))
    wizard.press("1")  # the first choice that begins with it
    expect(wizard.find("#count")).to_contain_text("would be found")
    wizard.press("Alt+s", "Enter")
    expect(wizard.find("#queries")).to_contain_text("first and last")
    wizard.press("Alt+r", "ArrowDown", "Space", "Enter")
    expect(wizard.find("#results li.selected")).to_have_count(1)
    name = wizard.find("#results li.selected strong").inner_text()
    expect(wizard.find("#card h3")).to_have_text(name)
    phone = wizard.find('#card dt:text-is("phone number") + dd').inner_text()
    say(wizard, f"How about {name}? Its phone number is {phone}.")

    user.press("Alt+g")
    user.tab_to(user.find(f'.chip:text-is("{name}")'))
    user.press("Enter")  # a name that was mentioned is one key away
    fill(user, "phone number", phone)
    expect(user.find("#finish")).to_be_enabled()
    user.press("Alt+m")
    user.press("Alt+f")
    say(user, "Thank you, that is all. Goodbye!")
    wizard.sees("The user has everything.")
    say(wizard, "You are welcome, goodbye!")

    for person in (user, wizard):
        expect(person.find("#done")).to_contain_text("Thank you")
    (dialogue,) = collected(simple.site.store)
    assert [turn.text for turn in dialogue.turns][-1] == "You are welcome, goodbye!"
    assert dialogue.turns[1].last_query is not None
    assert dialogue.turns[1].last_query.get("attraction").selected == (name,)
    assert {each.value for each in dialogue.final_goal or ()} >= {name, phone}


def test_a_constraint_is_changed_after_nothing_was_found(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    say(user, "Something with 1 to 2 hours, please.")
    say(wizard, "I am sorry, there is nothing.")
    cell = user.find('.cell:has(.slot-name:text-is("visit length"))')
    user.press("Alt+g")
    user.tab_to(cell.get_by_role("button", name="Change visit length"))
    user.press("Enter")
    user.type("2 to 3 hours")
    user.press("Enter")
    expect(cell.locator("ins")).to_have_text("2 to 3 hours")
    expect(cell.locator("del")).to_have_text("1 to 2 hours")
    user.page.reload()
    expect(cell.locator("ins")).to_have_text("2 to 3 hours")


def test_a_phone_can_play_the_user(simple: Running, enter: Enter) -> None:
    phone = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
    user = enter(simple, "Ursula", language="zh", **phone)
    user.page.goto(f"{user.url}/join/{simple.invitation(1)}")
    user.page.get_by_label("名字").fill("Ursula")
    user.page.get_by_label("密码").fill("a long password")
    user.find("main button[type=submit]").tap()
    user.find("input[name=agreed]").tap()
    user.find("main button[type=submit]").tap()
    wizard = enter(simple, "Wim").join(simple)
    user.find('[data-wait="user"]').tap()
    wizard.wait_as("wizard")
    user.in_room()
    wizard.in_room()
    user.find('.panes-tabs [data-pane="task"]').tap()
    user.find('.cell:has(.slot-name:text-is("visit length")) .cell-name').tap()
    user.find('.panes-tabs [data-pane="talk"]').tap()
    user.find("#text").fill("Hello, 1 to 2 hours please")
    user.find("#send").tap()
    hears(wizard, "Hello, 1 to 2 hours please")
    assert user.state("document.documentElement.scrollWidth") <= 390
