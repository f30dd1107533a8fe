"""Heads of an edge list: whether the first line says what columns are called, and which two columns have the people.

A head that is taken for a person adds two people and an edge that nobody knows of, and an edge that is taken for heads is lost. So a first
line that may be either is refused, and the caller says which.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

Pair = tuple[str, str]
OWN = ("source", "target")  # as this program writes them

# What the two columns of edges are called: in English, German, French, Spanish, Italian, Portuguese, Dutch, the Scandinavian languages,
# Polish, Czech, Finnish, Hungarian, Turkish, Russian, Chinese, Japanese and Korean.
_ROLES = """
source:target source:destination origin:destination source:dest src:dst src:dest src:tgt from:to start:end head:tail first:second one:two
left:right in:out sender:recipient sender:receiver sender:addressee caller:callee caller:receiver caller:called calling:called
follower:followee follower:followed follower:following user:friend person:friend name:friend user:follower user:contact name:contact
person:contact id:friend ego:alter subject:object parent:child author:coauthor employee:manager employee:supervisor
employee:boss manager:employee student:teacher buyer:seller customer:supplier payer:payee lender:borrower giver:receiver donor:recipient
mentor:mentee husband:wife nominator:nominee actor:partner node:neighbor node:neighbour person:partner
von:nach von:an von:zu quelle:ziel start:ziel absender:empfänger absender:empfaenger sender:empfänger sender:empfaenger
anrufer:angerufener anrufer:angerufene anrufer:empfänger anfang:ende person:freund name:freund nutzer:freund person:kontakt name:kontakt
mitarbeiter:vorgesetzter mitarbeiter:vorgesetzte mitarbeiter:chef mitarbeiter:kollege käufer:verkäufer kunde:lieferant autor:koautor
schüler:lehrer zahler:empfänger
de:vers de:à source:cible origine:destination expéditeur:destinataire expediteur:destinataire appelant:appelé début:fin personne:ami
nom:ami utilisateur:ami auteur:coauteur émetteur:récepteur
de:a desde:hasta origen:destino fuente:destino remitente:destinatario emisor:receptor persona:amigo nombre:amigo usuario:amigo
da:a origine:destinazione sorgente:destinazione mittente:destinatario nome:amico persona:amico utente:amico
de:para origem:destino remetente:destinatário remetente:destinatario nome:amigo pessoa:amigo usuário:amigo
van:naar bron:doel afzender:ontvanger beller:gebelde naam:vriend persoon:vriend
från:till fra:til källa:mål kilde:mål avsändare:mottagare afsender:modtager avsender:mottaker namn:vän navn:ven navn:venn
od:do źródło:cel nadawca:odbiorca osoba:znajomy zdroj:cíl odesílatel:příjemce lähde:kohde lähettäjä:vastaanottaja feladó:címzett
kaynak:hedef gönderen:alıcı kişi:arkadaş
от:к от:до кто:кому источник:цель источник:приемник отправитель:получатель имя:друг
来源:目标 源:目标 起点:终点 发送者:接收者 发件人:收件人 寄件人:收件人 姓名:朋友 用户:朋友
名前:相手 送信者:受信者 差出人:宛先 発信者:受信者 始点:終点 氏名:相手 氏名:友人 名前:友人 名前:友達
보낸사람:받는사람 발신자:수신자 출발:도착 이름:친구
"""
_COUNTERPARTS = frozenset(
    pair for each in _ROLES.split() for one, _, other in [each.partition(":")] for pair in ((one, other), (other, one))
)
# What may be added to these, or has a number or a letter of its own: from_user, Name 1, Person B.
_WORDS = frozenset(
    """
    id ids uid name names nr no num number key code label email mail address addr phone account user users username person people member
    node vertex friend contact actor author employee student patient customer client player partner colleague individual participant
    agent party entity family source target
    knoten person familie nutzer benutzer mitglied freund kontakt mitarbeiter schüler kunde nummer konto kennung teilnehmer
    nom noeud nœud sommet personne ami utilisateur membre numéro nombre nodo persona amigo usuario miembro contacto número
    nome persona amico utente membro contatto nó pessoa usuário utilizador contato naam knoop persoon vriend gebruiker lid
    namn navn nod vän ven venn imię nazwa osoba węzeł użytkownik jméno uzel nimi henkilö név személy ad isim kişi düğüm
    имя узел друг пользователь человек 姓名 名字 用户 节点 朋友 人 名前 氏名 友人 人物 ノード 이름 친구 노드 사람
    """.split()
)
_SIDES = frozenset((("1", "2"), ("0", "1"), ("a", "b"), ("x", "y"), ("u", "v"), ("i", "j"), ("i", "ii")))
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])")
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
_YEAR = re.compile(r"(19|20)\d\d")
_CODE = re.compile(r"(?=.*\d)[0-9a-fA-F-]{8,}")  # a hash, or an identifier of the kind 123e4567-e89b-…
_COMPARED = 10_000


def columns_of(heads: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of columns that are called like the two people of an edge. The first two come alone if they are such a pair."""
    parts = [_tokens(each) for each in heads]
    found = [(one, other) for one, other in combinations(range(len(heads)), 2) if _are_counterparts(parts[one], parts[other])]
    return [(0, 1)] if (0, 1) in found else found


def _tokens(head: str) -> tuple[str, ...]:
    """The words of a head without case: fromUser, from_user and From user are the same."""
    return tuple(_TOKEN.findall(_CAMEL.sub(" ", unicodedata.normalize("NFKC", head)).casefold()))


def _are_counterparts(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two heads differ in nothing but the role, as in from_user and to_user, or in a number, as in Name 1 and Name 2."""
    if len(one) != len(other):
        return False
    differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(differing) != 1 or not all(a in _WORDS for a, b in zip(one, other, strict=True) if a == b):
        return False
    a, b = differing[0]
    by_side = (a.lstrip("0") or "0", b.lstrip("0") or "0") in _SIDES and len(one) > 1
    return by_side or (a, b) in _COUNTERPARTS


def is_heads(first: Sequence[str], pairs: Sequence[Pair], known: bool, others: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first line says what columns are called; None if it may just as well be an edge.

    `first` are all its cells and `others` those of some lines below it; `pairs` the names of all lines, beginning with those of the first,
    whose columns are `known` to be called like the two people of an edge.
    """
    one, other = pairs[0]
    if not (_has_letter(one) and _has_letter(other)):
        return False
    if (one, other) == OWN:
        return True
    rest = pairs[1:]
    if not rest:
        return known
    if all(a.isdigit() and b.isdigit() for a, b in rest):
        return True
    again, alike = any(one in pair or other in pair for pair in rest), _is_like_others(pairs)
    if again and alike:
        return False
    heads = known or _names_data(first, others)
    edge = again or alike or _is_data(one, other) or _has_data(first, others)
    if heads != edge:
        return heads
    return None if len(pairs) > 2 else heads and not again


def _has_letter(name: str) -> bool:
    return any(map(str.isalpha, name))


def _is_like_others(pairs: Sequence[Pair]) -> bool:
    """Whether both names of the first line are made as names below are: they differ from them in a number, or in a letter of its own."""
    wanted = {_made(name) for name in pairs[0]}
    if not all("0" in each or "?" in each for each in wanted):
        return False
    return wanted <= {_made(name) for pair in islice(pairs, 1, _COMPARED) for name in pair}


def _made(name: str) -> str:
    return " ".join("0" if part.isdigit() else "?" if len(part) == 1 and part.isascii() else part for part in _tokens(name))


def _is_data(one: str, other: str) -> bool:
    """Whether two names are nothing that a column is called: addresses of mail, names of accounts, hashes."""
    return all("@" in name or _CODE.fullmatch(name) for name in (one, other))


def _kinds(first: Sequence[str], others: Sequence[Sequence[str]]) -> Iterator[tuple[str, set[str]]]:
    """For each column after the two names: the kind of its first cell, and of those below."""
    for place in range(2, len(first)):
        yield _kind(first[place]), {_kind(row[place]) if place < len(row) else "" for row in others}


def _kind(cell: str) -> str:
    cell = cell.strip()
    if not cell or _has_letter(cell):
        return "text" if cell else ""
    return "year" if _YEAR.fullmatch(cell) else "number" if _NUMBER.fullmatch(cell) else "signs"


def _names_data(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a later cell is a word, and what is below it are numbers or dates."""
    return len(others) > 1 and any(kind == "text" and below and not below & {"text", ""} for kind, below in _kinds(first, others))


def _has_data(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a later cell is a number or a date, as those below it. Columns may be called by a year."""
    return any(
        kind not in ("text", "") and kind in below <= ({"number", "year"} if kind == "number" else {kind})
        for kind, below in _kinds(first, others)
    )
