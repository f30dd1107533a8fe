"""The tables that the sources print, as published: QID labels unchanged, rows in the order of the source.

Salaries are in thousands. The tree of diseases is that of Li, Li and Venkatasubramanian (2007).
"""

from __future__ import annotations

from sfumato_studies.examples import Example

DISEASES = {
    "respiratory": {
        "infection": ["flu", "pneumonia", "bronchitis"],
        "vascular": ["pulmonary edema", "pulmonary embolism"],
    },
    "digestive": {
        "stomach": ["gastric ulcer", "stomach cancer", "gastritis"],
        "colon": ["colitis", "colon cancer"],
    },
}

# Thesis, Table 2.2: three people to a class.
THREE_ANONYMOUS = Example.of_text(
    """\
zip,age,disease
476**,2*,heart disease
476**,2*,heart disease
476**,2*,heart disease
4790*,≥40,flu
4790*,≥40,heart disease
4790*,≥40,cancer
476**,3*,heart disease
476**,3*,cancer
476**,3*,cancer
""",
    "disease",
)

# Leakage paper, Table Ib; thesis, Table 2.4.
THREE_DIVERSE_SALARIES = Example.of_text(
    """\
zip,age,salary,disease
476**,2*,3,gastric ulcer
476**,2*,4,gastritis
476**,2*,5,stomach cancer
4790*,≥40,6,gastritis
4790*,≥40,11,flu
4790*,≥40,8,bronchitis
476**,3*,7,bronchitis
476**,3*,9,pneumonia
476**,3*,10,stomach cancer
""",
    "salary",
    "disease",
    trees={"disease": DISEASES},
)

# Leakage paper, Table II; thesis, Table 2.5.
CLOSE_SALARIES = Example.of_text(
    """\
zip,age,salary,disease
4767*,≤40,3,gastric ulcer
4767*,≤40,5,stomach cancer
4767*,≤40,9,pneumonia
4790*,≥40,6,gastritis
4790*,≥40,11,flu
4790*,≥40,8,bronchitis
4760*,≤40,4,gastritis
4760*,≤40,7,bronchitis
4760*,≤40,10,stomach cancer
""",
    "salary",
    "disease",
    trees={"disease": DISEASES},
)

# Leakage paper, Table IIIb; thesis, Table 3.5.
THREE_DISEASES = Example.of_text(
    """\
zip,age,disease
4901*,2*,flu
4901*,2*,flu
4901*,2*,flu
4901*,2*,heart disease
4997*,3*,flu
4997*,3*,flu
4997*,3*,flu
4997*,3*,heart disease
4882*,4*,flu
4882*,4*,heart disease
4882*,4*,cancer
4882*,4*,cancer
""",
    "disease",
)

# Negotiation paper, Table 1b; thesis, Tables 3.2 and 4.2. Nationality is withheld.
FOUR_ANONYMOUS = Example.of_text(
    """\
zip,age,condition
130**,<30,heart disease
130**,<30,heart disease
130**,<30,virus infection
130**,<30,virus infection
1485*,≥40,cancer
1485*,≥40,heart disease
1485*,≥40,virus infection
1485*,≥40,virus infection
130**,3*,cancer
130**,3*,cancer
130**,3*,cancer
130**,3*,cancer
""",
    "condition",
)

# Thesis, Table 3.3.
THREE_DIVERSE_PATIENTS = Example.of_text(
    """\
zip,age,condition
1305*,≤40,heart disease
1305*,≤40,virus infection
1305*,≤40,cancer
1305*,≤40,cancer
1485*,>40,cancer
1485*,>40,heart disease
1485*,>40,virus infection
1485*,>40,virus infection
1306*,≤40,heart disease
1306*,≤40,virus infection
1306*,≤40,cancer
1306*,≤40,cancer
""",
    "condition",
)

# Lecture, Fig. 2: two people to a class.
TWO_ANONYMOUS = Example.of_text(
    """\
race,birth,gender,zip,problem
Black,1965,m,0214*,short breath
Black,1965,m,0214*,chest pain
Black,1965,f,0213*,hypertension
Black,1965,f,0213*,hypertension
Black,1964,f,0213*,obesity
Black,1964,f,0213*,chest pain
White,1964,m,0213*,chest pain
White,1964,m,0213*,obesity
White,1964,m,0213*,short breath
White,1967,m,0213*,chest pain
White,1967,m,0213*,chest pain
""",
    "problem",
)

# Lecture, suppression: sex is withheld.
SUPPRESSED = Example.of_text(
    """\
zip,age,disease
476**,2*,ovarian cancer
476**,2*,ovarian cancer
476**,2*,prostate cancer
4790*,"[43,52]",flu
4790*,"[43,52]",heart disease
4790*,"[43,52]",heart disease
""",
    "disease",
)
