"""Countries and areas by region: the geographic regions of the United Nations' standard M49 (https://unstats.un.org/unsd/methodology/m49/)
for the codes of ISO 3166-1, with English names and, where they differ, common German, French and Spanish ones."""

from __future__ import annotations

from functools import cache

# Region, subregion, and its countries: alpha-2, alpha-3, then names.
_REGIONS = """
Africa|Northern Africa|DZ DZA Algeria Algerien Algérie Argelia;EG EGY Egypt Ägypten Égypte Egipto;LY LBY Libya Libyen Libye Libia;MA MAR Morocco Marokko Maroc Marruecos;SD SDN Sudan Soudan Sudán;TN TUN Tunisia Tunesien Tunisie Túnez;EH ESH Western_Sahara
Africa|Eastern Africa|IO IOT British_Indian_Ocean_Territory;BI BDI Burundi;KM COM Comoros;DJ DJI Djibouti;ER ERI Eritrea Érythrée;ET ETH Ethiopia Äthiopien Éthiopie Etiopía;TF ATF French_Southern_Territories;KE KEN Kenya Kenia;MG MDG Madagascar Madagaskar;MW MWI Malawi;MU MUS Mauritius Maurice Mauricio;YT MYT Mayotte;MZ MOZ Mozambique Mosambik;RE REU Réunion Reunion;RW RWA Rwanda Ruanda;SC SYC Seychelles Seychellen;SO SOM Somalia Somalie;SS SSD South_Sudan;UG UGA Uganda Ouganda;TZ TZA Tanzania Tansania Tanzanie United_Republic_of_Tanzania;ZM ZMB Zambia Sambia Zambie;ZW ZWE Zimbabwe Simbabwe
Africa|Middle Africa|AO AGO Angola;CM CMR Cameroon Kamerun Cameroun Camerún;CF CAF Central_African_Republic;TD TCD Chad Tschad Tchad;CG COG Congo Kongo;CD COD Democratic_Republic_of_the_Congo DR_Congo;GQ GNQ Equatorial_Guinea;GA GAB Gabon Gabun Gabón;ST STP Sao_Tome_and_Principe
Africa|Southern Africa|BW BWA Botswana Botsuana;SZ SWZ Eswatini Swaziland;LS LSO Lesotho;NA NAM Namibia Namibie;ZA ZAF South_Africa Südafrika Afrique_du_Sud Sudáfrica
Africa|Western Africa|BJ BEN Benin Bénin;BF BFA Burkina_Faso;CV CPV Cabo_Verde Cape_Verde Kap_Verde;CI CIV Côte_d'Ivoire Ivory_Coast Elfenbeinküste Costa_de_Marfil;GM GMB Gambia Gambie;GH GHA Ghana;GN GIN Guinea Guinée;GW GNB Guinea-Bissau;LR LBR Liberia Libéria;ML MLI Mali;MR MRT Mauritania Mauretanien Mauritanie;NE NER Niger Níger;NG NGA Nigeria Nigéria;SH SHN Saint_Helena;SN SEN Senegal Sénégal;SL SLE Sierra_Leone;TG TGO Togo
Americas|Caribbean|AI AIA Anguilla;AG ATG Antigua_and_Barbuda;AW ABW Aruba;BS BHS Bahamas;BB BRB Barbados;BQ BES Bonaire;VG VGB British_Virgin_Islands;KY CYM Cayman_Islands;CU CUB Cuba Kuba;CW CUW Curaçao Curacao;DM DMA Dominica;DO DOM Dominican_Republic Dominikanische_Republik République_dominicaine República_Dominicana;GD GRD Grenada;GP GLP Guadeloupe;HT HTI Haiti Haïti Haití;JM JAM Jamaica Jamaika Jamaïque;MQ MTQ Martinique;MS MSR Montserrat;PR PRI Puerto_Rico;BL BLM Saint_Barthélemy;KN KNA Saint_Kitts_and_Nevis;LC LCA Saint_Lucia;MF MAF Saint_Martin;VC VCT Saint_Vincent_and_the_Grenadines;SX SXM Sint_Maarten;TT TTO Trinidad_and_Tobago;TC TCA Turks_and_Caicos_Islands;VI VIR United_States_Virgin_Islands
Americas|Central America|BZ BLZ Belize;CR CRI Costa_Rica;SV SLV El_Salvador;GT GTM Guatemala;HN HND Honduras;MX MEX Mexico Mexiko Mexique México;NI NIC Nicaragua;PA PAN Panama Panamá
Americas|South America|AR ARG Argentina Argentinien Argentine;BO BOL Bolivia Bolivien Bolivie;BV BVT Bouvet_Island;BR BRA Brazil Brasilien Brésil Brasil;CL CHL Chile Chili;CO COL Colombia Kolumbien Colombie;EC ECU Ecuador Équateur;FK FLK Falkland_Islands;GF GUF French_Guiana;GY GUY Guyana;PY PRY Paraguay;PE PER Peru Pérou Perú;GS SGS South_Georgia;SR SUR Suriname Surinam;UY URY Uruguay;VE VEN Venezuela
Americas|Northern America|BM BMU Bermuda;CA CAN Canada Kanada Canadá;GL GRL Greenland Grönland;PM SPM Saint_Pierre_and_Miquelon;US USA United_States United_States_of_America U.S.A. Vereinigte_Staaten États-Unis Estados_Unidos
Asia|Central Asia|KZ KAZ Kazakhstan Kasachstan;KG KGZ Kyrgyzstan Kirgisistan;TJ TJK Tajikistan;TM TKM Turkmenistan;UZ UZB Uzbekistan Usbekistan
Asia|Eastern Asia|CN CHN China Chine;HK HKG Hong_Kong;MO MAC Macao Macau;KP PRK North_Korea Nordkorea;JP JPN Japan Japon Japón;MN MNG Mongolia Mongolei Mongolie;KR KOR South_Korea Südkorea Corée_du_Sud Corea_del_Sur Republic_of_Korea Korea;TW TWN Taiwan
Asia|South-eastern Asia|BN BRN Brunei Brunei_Darussalam;KH KHM Cambodia Kambodscha Cambodge Camboya;ID IDN Indonesia Indonesien Indonésie;LA LAO Laos;MY MYS Malaysia Malaisie Malasia;MM MMR Myanmar Birma;PH PHL Philippines Philippinen Filipinas;SG SGP Singapore Singapur Singapour;TH THA Thailand Thaïlande Tailandia;TL TLS Timor-Leste;VN VNM Vietnam Viet_Nam
Asia|Southern Asia|AF AFG Afghanistan Afganistán;BD BGD Bangladesh Bangladesch;BT BTN Bhutan;IN IND India Indien Inde;IR IRN Iran Irán;MV MDV Maldives;NP NPL Nepal Népal;PK PAK Pakistan Pakistán;LK LKA Sri_Lanka
Asia|Western Asia|AM ARM Armenia Armenien Arménie;AZ AZE Azerbaijan Aserbaidschan;BH BHR Bahrain;CY CYP Cyprus Zypern Chypre Chipre;GE GEO Georgia Georgien Géorgie;IQ IRQ Iraq Irak;IL ISR Israel Israël;JO JOR Jordan Jordanien Jordanie Jordania;KW KWT Kuwait;LB LBN Lebanon Libanon Liban Líbano;OM OMN Oman;QA QAT Qatar Katar;SA SAU Saudi_Arabia Saudi-Arabien Arabie_saoudite;PS PSE Palestine Palästina;SY SYR Syria Syrien Syrie Siria;TR TUR Turkey Türkiye Türkei Turquie Turquía;AE ARE United_Arab_Emirates Vereinigte_Arabische_Emirate;YE YEM Yemen Jemen
Europe|Eastern Europe|BY BLR Belarus;BG BGR Bulgaria Bulgarien Bulgarie;CZ CZE Czechia Czech_Republic Tschechien Tchéquie Chequia;HU HUN Hungary Ungarn Hongrie Hungría;PL POL Poland Polen Pologne Polonia;MD MDA Moldova Moldau Moldavie;RO ROU Romania Rumänien Roumanie Rumanía;RU RUS Russia Russian_Federation Russland Russie Rusia;SK SVK Slovakia Slowakei Slovaquie Eslovaquia;UA UKR Ukraine Ucrania
Europe|Northern Europe|AX ALA Åland_Islands;GG GGY Guernsey;JE JEY Jersey;DK DNK Denmark Dänemark Danemark Dinamarca;EE EST Estonia Estland Estonie;FO FRO Faroe_Islands;FI FIN Finland Finnland Finlande Finlandia;IS ISL Iceland Island Islande Islandia;IE IRL Ireland Irland Irlande Irlanda;IM IMN Isle_of_Man;LV LVA Latvia Lettland Lettonie Letonia;LT LTU Lithuania Litauen Lituanie Lituania;NO NOR Norway Norwegen Norvège Noruega;SJ SJM Svalbard_and_Jan_Mayen;SE SWE Sweden Schweden Suède Suecia;GB GBR United_Kingdom UK Great_Britain Vereinigtes_Königreich Großbritannien Royaume-Uni Reino_Unido England Scotland Wales
Europe|Southern Europe|AL ALB Albania Albanien Albanie;AD AND Andorra;BA BIH Bosnia_and_Herzegovina Bosnien_und_Herzegowina;HR HRV Croatia Kroatien Croatie Croacia;GI GIB Gibraltar;GR GRC Greece Griechenland Grèce Grecia;VA VAT Holy_See;IT ITA Italy Italien Italie Italia;MT MLT Malta Malte;ME MNE Montenegro;MK MKD North_Macedonia Nordmazedonien;PT PRT Portugal;SM SMR San_Marino;RS SRB Serbia Serbien Serbie;SI SVN Slovenia Slowenien Slovénie Eslovenia;ES ESP Spain Spanien Espagne España
Europe|Western Europe|AT AUT Austria Österreich Autriche;BE BEL Belgium Belgien Belgique Bélgica;FR FRA France Frankreich Francia;DE DEU Germany Deutschland Allemagne Alemania;LI LIE Liechtenstein;LU LUX Luxembourg Luxemburg Luxemburgo;MC MCO Monaco Mónaco;NL NLD Netherlands Holland Niederlande Pays-Bas Países_Bajos;CH CHE Switzerland Schweiz Suisse Suiza
Oceania|Australia and New Zealand|AU AUS Australia Australien Australie;CX CXR Christmas_Island;CC CCK Cocos_Islands;HM HMD Heard_Island_and_McDonald_Islands;NZ NZL New_Zealand Neuseeland Nouvelle-Zélande Nueva_Zelanda;NF NFK Norfolk_Island
Oceania|Melanesia|FJ FJI Fiji Fidschi;NC NCL New_Caledonia;PG PNG Papua_New_Guinea;SB SLB Solomon_Islands;VU VUT Vanuatu
Oceania|Micronesia|GU GUM Guam;KI KIR Kiribati;MH MHL Marshall_Islands;FM FSM Micronesia;NR NRU Nauru;MP MNP Northern_Mariana_Islands;PW PLW Palau;UM UMI United_States_Minor_Outlying_Islands
Oceania|Polynesia|AS ASM American_Samoa;CK COK Cook_Islands;PF PYF French_Polynesia;NU NIU Niue;PN PCN Pitcairn;WS WSM Samoa;TK TKL Tokelau;TO TON Tonga;TV TUV Tuvalu;WF WLF Wallis_and_Futuna
"""  # noqa: E501


@cache
def subregions() -> dict[str, str]:
    """The subregion of every code and name, in lower case."""
    found: dict[str, str] = {}
    for line in _REGIONS.strip().splitlines():
        _, subregion, countries = line.split("|")
        for country in countries.split(";"):
            found |= dict.fromkeys(map(_folded, country.split()), subregion)
    return found


@cache
def regions() -> dict[str, str]:
    """The region of every subregion."""
    return {subregion: region for region, subregion, _ in (line.split("|") for line in _REGIONS.strip().splitlines())}


def subregion_of(country: str) -> str | None:
    """The subregion of a country's code or name; None if it is not known.

    >>> subregion_of("DE"), subregion_of("Suisse"), regions()["Western Europe"], subregion_of("Atlantis")
    ('Western Europe', 'Western Europe', 'Europe', None)
    """
    return subregions().get(_folded(country.strip()))


@cache
def codes() -> dict[str, str]:
    """The code of two letters of every code and name, in lower case."""
    countries = [each.split() for line in _REGIONS.strip().splitlines() for each in line.split("|")[2].split(";")]
    return {_folded(name): names[0] for names in countries for name in names}


def code_of(country: str) -> str | None:
    """The code of two letters of a country's code or name; None if it is not known.

    >>> code_of("de"), code_of("United States"), code_of("DEU"), code_of("Atlantis")
    ('DE', 'US', 'DE', None)
    """
    return codes().get(_folded(country.strip()))


def _folded(name: str) -> str:
    """A name without the difference between capitals, and with blanks for hyphens."""
    return name.replace("_", " ").replace("-", " ").casefold()
