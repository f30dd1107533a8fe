"""The words of generated logs: syllables of names and towns, interests, illnesses, what is searched about them."""

from __future__ import annotations

from itertools import product

_FIRST = tuple("ba cor dal el fen gar hal ir jor kel lor mir nel or per quil ros sil tor vel".split())
_FIRST_END = ("a", "an", "do", "ek", "ia", "in", "ne", "ric", "sa", "wen")
_LAST = tuple("ab bren cal dro esk fal gro hol ist jun kra lum mox nar ost pel rud sko tam ulv".split())
_LAST_END = tuple(
    "back berin dane fell gard holt ingate kowa lund mere nitz over quist rault shaw tova umber vary wick zen".split()
)
_TOWN = tuple("amber birch crow dun elder fox gold heron iron juniper king larch moss north otter plum".split())
_TOWN_END = ("brook", "combe", "dale", "ferry", "gate", "haven", "ling", "minster", "port", "stead")

FIRST_NAMES = tuple(map("".join, product(_FIRST, _FIRST_END)))
LAST_NAMES = tuple("".join(each) for each in product(_LAST, ("", "a", "en", "o"), _LAST_END))
TOWNS = tuple(map("".join, product(_TOWN, _TOWN_END)))

# What people look for again and again, under the same few words.
HEAD = tuple(
    """weather maps mail news translate calendar horoscope lottery results movie times tv guide radio chess solitaire crossword sudoku
    football scores basketball scores train times bus times phone book dictionary calculator currency converter job search online bank
    ring tones music videos song lyrics wallpapers recipes coupons shoes dresses used cars car prices cheap flights hotels cruises
    real estate apartments credit cards mortgage rates tax forms post office zip codes driving directions white pages""".split()
)
INTERESTS = tuple(
    """gardening baking knitting fishing hunting sailing cycling running yoga swimming tennis golf chess poker painting pottery photography
    astronomy genealogy history poetry guitar piano violin drums opera jazz ballet theater cinema comics origami woodworking motorcycles
    trucks trains aviation camping hiking climbing skiing surfing horses dogs cats parrots aquariums bees chickens wine beer coffee tea
    cheese chocolate barbecue vegan sushi pasta soups bread knives watches jewelry makeup perfume hairstyles tattoos sewing quilting
    antiques coins stamps auctions investing taxes insurance scholarships grammar algebra physics chemistry biology""".split()
)
ABOUT = tuple(
    """for beginners tips pictures store supplies club lessons books magazine forum equipment prices repair used online reviews
    tools ideas history rules events""".replace("for beginners", "for_beginners").split()
)
LOCAL = tuple(
    "restaurants plumber dentist library cinema landscapers church schools jobs homes_sold hardware pharmacy florist bakery".split()
)
TAIL = tuple(
    """amber anchor apple arrow autumn basket beacon bell berry blanket bottle branch bridge bucket butter button cabin candle canyon
    carpet castle cedar cellar chapel cherry circle clover cotton cradle crystal curtain dagger desert dragon drawer eagle echo ember engine
    feather fiddle flame forest fountain garden ginger glacier granite hammer harbor harvest helmet honey island ivory jacket jasmine jungle
    kettle ladder lantern lemon lily linen lizard magnet maple marble meadow mirror monkey mountain needle nickel oak ocean olive orchid
    oyster palace paper pearl pebble pepper pigeon pillow pine planet pocket prairie puzzle rabbit raven ribbon river rocket saddle saffron
    sailor satin shadow silver spider spring squirrel stable statue stone sugar sunset temple thistle thunder tiger timber tower trumpet
    tulip tunnel turtle valley velvet violet walnut whistle willow window winter wizard wool yellow zebra""".split()
)
# The illnesses that are a person's secret, and what those search who have one.
ILLNESSES = ("diabetes", "depression", "cancer", "asthma", "epilepsy", "pregnancy")
_SYMPTOMS = ("symptoms", "treatment", "medication", "side effects", "support group", "diet", "specialist", "insurance")
SECRETS = {illness: tuple(f"{illness} {each}" for each in _SYMPTOMS) for illness in ILLNESSES}
# One person who is no person: a program that asks the same all day.
BOT = ("cheap watches wholesale", "buy followers now", "free ring tones download")


def common() -> tuple[str, ...]:
    """What everybody may search: alone, and interests with what is searched about them."""
    pairs = tuple(f"{each} {about}".replace("_", " ") for each, about in product(INTERESTS, ABOUT))
    return (*dict.fromkeys(HEAD), *INTERESTS, *pairs)
