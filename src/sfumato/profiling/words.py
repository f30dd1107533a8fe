"""Words in the names of columns, and what they say a column may be. English, German, French and Spanish, without accents.

A word is a hint. What the values look like decides, see `roles`.
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = re.compile(r"[a-z]+|\d+")


def words_of(name: str) -> frozenset[str]:
    """The words of a column name: `HomeZip_code` → home, zip, code."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).replace("ß", "ss")
    plain = "".join(c for c in unicodedata.normalize("NFKD", spaced.lower()) if not unicodedata.combining(c))
    return frozenset(_WORDS.findall(plain))


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Who somebody is. The first group says so of people only; "name" alone may be that of a product.
PERSON_NAMES = _set(
    "surname firstname lastname forename forenames givenname fullname maiden vorname vornamen nachname familienname geburtsname prenom "
    "prenoms apellido apellidos"
)
NAMES = _set("name names nom nombre nombres")
IDENTIFYING = _set(
    "ssn passport reisepass passeport pasaporte email mail courriel correo phone telephone telefon telefono mobile mobil handy movil tel "
    "fax iban account konto kontonummer compte cuenta license licence fuhrerschein permis plate kennzeichen immatriculation matricula url "
    "insurance versicherungsnummer versichertennummer krankenversicherung steuernummer mrn nif dni nie siret nir username login"
)
ADDRESSES = _set("address street adresse anschrift strasse hausnummer rue voie direccion calle domicilio domicile")
KEYS = _set("id uuid guid key nr no number nummer numero num kennung identifiant identificador schlussel")
PERSONS = _set(
    "person patient patientin patienten user customer client member subject employee student owner individual participant respondent "
    "pupil insured kunde kunden mitglied mitglieds nutzer benutzer mitarbeiter personal versicherten schuler paciente cliente usuario "
    "empleado alumno socio asegurado membre eleve utilisateur employe salarie assure adherent"
)
WHOSE_NAME = PERSONS | _set("first last family given middle full famille")
_OWNERS = _set(
    "patientennummer kundennummer mitgliedsnummer personalnummer versichertennummer matrikelnummer patientenid kundenid"
)
# Codes that look like numbers.
POSTCODES = _set("zip zipcode postcode postal plz postleitzahl codepostal cp")
CODES = POSTCODES | _set("code icd nace isco naics soc sic")
DIAGNOSES = _set("icd diagnosis diagnose hauptdiagnose nebendiagnose diagnostic diagnostico disease krankheit maladie enfermedad")
# What nobody should learn about a person.
SENSITIVE = _set(
    "diagnosis disease condition illness symptom medication drug treatment procedure icd salary wage income pay religion belief "
    "politics party orientation occupation crime offence offense conviction debt credit disability pregnancy hiv genome "
    "diagnose hauptdiagnose nebendiagnose krankheit befund medikament behandlung gehalt lohn einkommen konfession glaube partei straftat "
    "schulden behinderung schwangerschaft diagnostic maladie traitement medicament salaire revenu handicap grossesse dette "
    "diagnostico enfermedad tratamiento medicamento salario sueldo discapacidad embarazo deuda delito"
)
AGES = _set("age ages alter edad")
BIRTHS = _set("birth birthdate birthday dob born geburt geburtsdatum geburtsjahr geburtstag naissance nacimiento")
SMALL_PLACES = _set("city town ort wohnort stadt gemeinde ville commune ciudad municipio county district kreis precinct parish")
# What nearly everybody knows who knows the person: how old, of which sex, from where.
WIDELY_KNOWN = POSTCODES | _set(
    "age alter edad birth birthdate birthday dob born geburt geburtsdatum geburtsjahr geburtstag naissance nacimiento sex gender "
    "geschlecht sexe sexo genero city town ort wohnort stadt gemeinde ville commune ciudad municipio county state province district "
    "region bundesland kreis departement provincia comarca"
)
# What others often know: neighbors, colleagues, anybody who looks at a public register.
KNOWN = WIDELY_KNOWN | _set(
    "country land staat pays pais nationality nationalitat staatsangehorigkeit "
    "nationalite nacionalidad race ethnicity ethnic marital married familienstand civil education school schulabschluss bildung etudes "
    "diplome educacion estudios profession job beruf metier profesion employer arbeitgeber employeur empresa title position department "
    "abteilung height weight grosse gewicht taille poids altura peso children kinder enfants hijos admission aufnahme entlassung "
    "discharge"
)
LATITUDES = _set("lat latitude breitengrad breite latitud")
LONGITUDES = _set("lon lng long longitude langengrad lange longitud")


# Ends of words that are joined to what they are the key of: patid, PatNr, Fallnummer; and words that only end like them.
_ID_ENDS = ("id", "uuid", "guid", "key", "kennung", "schlussel")
_NUMBER_ENDS = ("nr", "no", "num", "nbr", "nummer", "numero", "number")
_NOT_KEYS = _set(
    "paid prepaid unpaid acid aid raid said mid grid bid solid valid invalid covid hybrid thyroid steroid opioid casino piano"
)
_IDS = _set("id ids uuid guid key pid identifier kennung identifiant identificador schlussel barcode")
_NUMBERS = _set("nr no num nbr number nummer numero")
# Beginnings of words for a person, or for what a person has one of: a case, a file.
_PERSONAL = ("pat", "pers", "subj", "kund", "fall", "case", "dossier", "akte", "record", "client", "customer", "memb", "mitgl", "stud",
             "user", "employ", "mitarb", "resp", "particip", "proband", "versich", "insur", "ahv", "panel", "individ")  # fmt: skip
# What has a key of its own and is no person.
_THINGS = _set(
    "hospital clinic klinik krankenhaus hopital ward station department abteilung dept school schule class klasse store shop product "
    "produkt produit article artikel order bestellung item team club company firma entreprise empresa branch filiale city town state "
    "county region country land district zip area plan event visit stay site center centre zentrum trial household haushalt house room "
    "zimmer bed bett physician doctor arzt medecin provider payer device model version lot batch"
)


def names_owner(words: frozenset[str]) -> bool:
    """Whether a column is called the key of a person."""
    return bool(words & PERSONS and words & KEYS) or bool(words & _OWNERS)


def may_name_owner(words: frozenset[str]) -> bool:
    """Whether a column is called a key, and may be that of a person: `id`, `pat_no`, `Fallnummer`, but not `hospital_id`."""
    if words & _THINGS:
        return False
    personal = any(word.startswith(_PERSONAL) for word in words) or bool(words & PERSONS)
    numbered = bool(words & _NUMBERS) or _ends(words, _NUMBER_ENDS)
    return names_id(words) or (numbered and (personal or words <= _NUMBERS))


def names_thing(words: frozenset[str]) -> bool:
    """Whether a column is called after something that is no person."""
    return bool(words & _THINGS)


def names_person(words: frozenset[str]) -> bool:
    """Whether a column is called a person, and nothing else."""
    return bool(words) and words <= PERSONS | _set("record dossier case fall")


def names_id(words: frozenset[str]) -> bool:
    """Whether a column is called an identity: `id`, `pid`, `PatID`."""
    return bool(words & _IDS) or _ends(words, _ID_ENDS)


def names_key(words: frozenset[str]) -> bool:
    """Whether a column is called a key or a number of something; German joins words."""
    return bool(words & KEYS) or names_id(words) or _ends(words, _NUMBER_ENDS)


def _ends(words: frozenset[str], ends: tuple[str, ...]) -> bool:
    return any(word.endswith(ends) and word not in ends and len(word) > 3 and word not in _NOT_KEYS for word in words)
