"""The stops of the tour, in the order of the path: prepare, release, judge, negotiate, what goes beyond one table, applications.

All work in one folder, on the bundled census sample or on data that a command generates. A test fails if a command of sfumato is in no
stop, so a command that is added is shown here, too.
"""

from __future__ import annotations

from sfumato.cli.tour.stop import Stop, lines

PRIVATE = """\
[attributes]
age = { role = "quasi", type = "integer", hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [5, 25, 50] } }
sex = { role = "quasi", values = ["Female", "Male"] }
income = { role = "sensitive", values = ["<=50K", ">50K"] }
workclass = { role = "identifier" }
education = { role = "identifier" }
native-country = { role = "identifier" }
marital-status = { role = "identifier" }
race = { role = "identifier" }
occupation = { role = "identifier" }
"""
# The example of the channel paper: ages and genders that are generalized, and a disease that is not.
SMALL = """\
[attributes]
age = { role = "quasi", hierarchy = { tree = { young = ["20", "30"], old = ["40", "50"] } } }
gender = { role = "quasi", values = ["f", "m"] }
disease = { role = "sensitive", values = ["flu", "cold", "asthma"] }
"""
ANSWERS = "asked,yes,no\nill,3/4,1/4\nwell,1/4,3/4\n"
MERGED = "asked,answered\nill,1\nwell,1\n"
LOSSES = "asked,yes,no\nill,0,1\nwell,1,0\n"

PREPARE = (
    Stop(
        "Describe a table",
        "Nobody has described the census sample yet: every column is looked at, and a role is suggested with its reason.",
        lines("""
            data adult -o . --force
            profile adult.parquet -o suggested.toml
            init adult.parquet --template research-use --yes -o begun
            hierarchies adult.parquet -s adult.toml -o levels
        """),
    ),
)
RELEASE = (
    Stop(
        "Find the best release",
        "The release that keeps most among those that satisfy two privacy models, with a report for whoever signs it.",
        lines("""
            keys new office --name "Statistics office"
            keys show office.pub
            anonymize adult.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.4 --suppress 5% \\
                --sign office.key -o safe.parquet --report report.html
            verify safe.parquet --key office.pub
            keys new reviewer
            sign safe.parquet --key reviewer.key
            ledger show
            ledger verify
        """),
        pages=(("report.html", "The report"),),
    ),
    Stop(
        "Choose the levels yourself",
        "A release at a node that you name, what it gives away, and the models that it violates.",
        lines("""
            publish adult.parquet -s adult.toml --quasi age,workclass --node age=2,workclass=1 -o out.parquet
            measure adult.parquet -s adult.toml --quasi age,workclass --node [2,1]
            check out.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.2  # no
            compare out.parquet safe.parquet -s adult.toml --original adult.parquet
            report out.parquet -s adult.toml -m t-closeness:0.5 -o out.html
            models
        """),
        pages=(("out.html", "The report on it"),),
    ),
    Stop(
        "Ranges that fit the people",
        "Mondrian splits the table where people are, so that ranges are narrow where many live and wide where few do.",
        lines("anonymize adult.parquet -s adult.toml -m k-anonymity:5 --algorithm mondrian -o local.parquet"),
    ),
    Stop(
        "Change values instead",
        "Randomization that keeps the shares, and microaggregation: the losses are those for somebody who knows the method.",
        lines("""
            methods
            sanitize adult.parquet -s adult.toml --quasi age,sex,workclass --method pram:invariant,0.8 --seed 7 -o pram.parquet
            sanitize adult.parquet -s adult.toml --quasi age,sex --method microaggregate:5 -o groups.parquet
        """),
    ),
    Stop(
        "Differential privacy",
        "A noisy histogram over declared values, and records made from it. The ledger adds up what was spent.",
        lines("sanitize adult.parquet -s private.toml --method dp:0.5,age=1,sex=0 -o private.csv"),
        files=(("private.toml", PRIVATE),),
        needs=("dp",),
    ),
)
JUDGE = (
    Stop(
        "Attack a release",
        "Thirteen attacks on the release above: how often each attacker is right, and how often without the release.",
        lines("attack safe.parquet -s adult.toml --original adult.parquet --all"),
        needs=("learn",),
    ),
    Stop(
        "Every release at once",
        "All 2,160 nodes with all losses: the lattice, the front between privacy and utility, and what each further column costs.",
        lines("""
            explore adult.parquet -s adult.toml -m k-anonymity:5 -o space.parquet
            space space.parquet -m k-anonymity:5 -o lattice.svg
            tradeoff adult.parquet -s adult.toml --quasi age,education,sex -m k-anonymity:5 \\
                --sensitive occupation -o tradeoff.html --svg tradeoff.svg
            dimensions adult.parquet -s adult.toml -m k-anonymity:5 -o dimensions.svg
            subsets adult.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.3
            compare-metrics -o metrics.svg
        """),
        pictures=(
            ("tradeoff.svg", "Privacy against utility: every dot is a release"),
            ("lattice.svg", "The lattice: levels of generalization, and which of them are feasible"),
            ("dimensions.svg", "The curse of dimensionality"),
            ("metrics.svg", "What the metrics make of the same change of belief"),
        ),
        pages=(("tradeoff.html", "The explorer"),),
        needs=("report", "tradeoff"),
    ),
    Stop(
        "What a release costs those who learn",
        "A model is trained on the original and on releases along the front, and count queries are asked of both.",
        lines("""
            learn adult.parquet -s adult.toml --along-pareto 4 --target income --estimator naive-bayes -o learned.svg
            queries adult.parquet -s adult.toml --nodes '[1,1,1,1,1,0,0] [4,2,3,2,2,1,1]' --count 200
        """),
        pictures=(("learned.svg", "Privacy loss against what a model loses"),),
        needs=("learn", "report"),
    ),
    Stop(
        "A mechanism as a channel",
        "What can the best guesser gain? Measured on a file, on a mechanism whose tables are all enumerated, and on the best mechanism.",
        lines("""
            channel of safe.parquet -s adult.toml
            channel measure answers.csv
            channel judge answers.csv -m differential-privacy:1.6
            channel compare answers.csv merged.csv
            channel design losses.csv --most 0.7 -o designed.csv
            channel enumerate -s small.toml --rows 3 -m k-anonymity:2 --choice deterministic
            channel show answers.csv -o matrix.svg
            channel knowledge answers.csv --hints 0,0.5,1 -o knowledge.svg
            channel rules -s small.toml --rows 3 -o rules.svg --picture utility
            channel bridge space.parquet --epsilon 0.3 --error 0.8 -o views.svg
        """),
        pictures=(
            ("rules.svg", "What the rule k wastes on a small domain"),
            ("knowledge.svg", "The error against what is known beforehand"),
            ("views.svg", "Distribution loss and MAP error of the same releases"),
        ),
        files=(("answers.csv", ANSWERS), ("merged.csv", MERGED), ("losses.csv", LOSSES), ("small.toml", SMALL)),
        needs=("channel", "report"),
    ),
)
NEGOTIATE = (
    Stop(
        "Work in the browser",
        "One person's workbench, and the service where owners and users meet: both are started, asked for a page, and ended.",
        lines("""
            open adult.parquet --no-browser  # serves
            serve --demo --folder service --port 0  # serves
        """),
        needs=("web",),
    ),
    Stop(
        "Negotiate a release",
        "An office opens the table within bounds; a user asks, rejects, asks for less, and accepts. The signed record proves it.",
        lines("""
            keys new ann
            negotiate open adult.parquet -s adult.toml --quasi age,sex,workclass --epsilon 0.6 --key office.key -o census.json
            negotiate request census.json --pattern "sex > workclass > age" --key ann.key -o record.json
            negotiate answer record.json --key office.key
            negotiate reject record.json --key ann.key
            negotiate answer record.json --key office.key
            negotiate accept record.json --key ann.key
            negotiate deliver record.json --key office.key -o delivered
            negotiate show record.json
            negotiate verify record.json
        """),
    ),
    Stop(
        "Rules, tried on many users",
        "A hundred users with different needs against one owner, with the ledger of offers and without.",
        lines("negotiate simulate adult.parquet -s adult.toml --quasi age,sex,workclass --epsilon 0.6 --users 100 -o simulated"),
        pictures=(("simulated/simulation.svg", "Deals and their price, with the ledger and without"),),
    ),
    Stop(
        "The negotiation as a game",
        "What two clever sides would agree on, how far each protocol is from it, and the best price list for users whom nobody knows.",
        lines("""
            explore adult.parquet -s adult.toml --quasi age,sex,workclass,education -m k-anonymity:5 -o small.parquet
            negotiate equilibrium small.parquet --epsilon 0.7 --users 50 -o game.svg
            negotiate menu small.parquet --epsilon 0.7 --types uniform:0.5,1.5,5 -o menu.svg
        """),
        pictures=(("game.svg", "Payoffs by protocol and rule"), ("menu.svg", "The best price list")),
        needs=("game", "report"),
    ),
)
HOSPITAL = """\
[attributes.patient]
role = "owner"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [20, 40], lower = 0, upper = 120 }

[attributes.diagnosis]
role = "sensitive"
"""
FIRST = "patient,age,diagnosis\nann,23,flu\nben,27,gastritis\ncid,61,flu\ndot,68,bronchitis\n"
SECOND = "patient,age,diagnosis\nann,23,flu\neve,38,dyspepsia\ncid,61,flu\ndot,68,bronchitis\nfay,63,gastritis\n"

BEYOND = (
    Stop(
        "Publish again and again",
        "Two quarters of a hospital: each release is fine, both together tell one diagnosis. Then the same as a sequence, and a census "
        "with 10 % churn.",
        lines("""
            publish q1.csv -s hospital.toml --node age=1 -m distinct-diversity:2 -o r1.csv --ledger hospital
            publish q2.csv -s hospital.toml --node age=1 -m distinct-diversity:2 -o r2.csv --ledger hospital  # no
            publish q2.csv -s hospital.toml --node age=1 -m distinct-diversity:2 -o r2.csv --ledger hospital --together none
            sequence audit hospital -s hospital.toml -o apart.svg  # no
            sequence next q1.csv -s hospital.toml -m 2 --map groups-1.csv -o i1.csv --ledger invariant --seed 1
            sequence next q2.csv -s hospital.toml -m 2 --after groups-1.csv --map groups-2.csv -o i2.csv --ledger invariant \\
                --counterfeits 50% --seed 1
            sequence report hospital -s hospital.toml -o hospital.html
            sequence audit invariant -s hospital.toml -o together.svg
            sequence churn adult.parquet -s adult.toml --years 3 --share 10% --people 3000 -o years
        """),
        pictures=(("apart.svg", "What two releases tell together"), ("together.svg", "The same for a sequence")),
        pages=(("hospital.html", "The report on the two quarters"),),
        files=(("q1.csv", FIRST), ("q2.csv", SECOND), ("hospital.toml", HOSPITAL)),
        needs=("report",),
    ),
    Stop(
        "Graphs of people",
        "Names are left out, and the structure tells who is who: measured before and after three methods, by attackers who look or plant.",
        lines("""
            graph generate 300 900 -o friends.csv --seed 1
            graph profile friends.csv
            graph publish friends.csv -o friends-public.csv --method k-degree:5 --map who.csv --seed 1
            graph verify friends-public.csv
            graph attack friends.csv --method deidentify --method k-degree:5 --knows degree --knows neighbors
            graph plant friends.csv --method deidentify --method switch:10% --targets 5
            graph compare friends.csv --method k-degree:5 --method switch:10%
            graph report friends.csv -o graph.html --method deidentify --method k-degree:5 --runs 1
        """),
        pages=(("graph.html", "The report on the graph"),),
        needs=("graph",),
    ),
    Stop(
        "Search logs",
        "Queries that only few people search identify them. What is left after thresholds, and what an attacker still finds.",
        lines("""
            searchlog generate --rows 10_000 --seed 7 -o searches
            searchlog find searches --truth searches/truth -o findings.parquet
            searchlog publish searches --sessions off --owners owners.parquet --seed 1 -o searches.parquet
            searchlog verify searches.parquet --owners owners.parquet
            searchlog attack searches searches.parquet --owners owners.parquet --people searches/truth
            searchlog utility searches searches.parquet
            searchlog report searches searches.parquet --owners owners.parquet --people searches/truth -o searches.html
        """),
        pages=(("searches.html", "The report on the search log"),),
    ),
)
APPLY = (
    Stop(
        "Find account takeovers",
        "Generated sign-in logs with password spraying: features of addresses, learned rules, a detector, campaigns, and what it costs "
        "to know subnets or countries only.",
        lines("ato run -o takeovers --rows 20_000 --grid none"),
        pages=(("takeovers/report.html", "The report of the run"),),
        needs=("learn",),
    ),
    Stop(
        "Detect takeovers together",
        "Owners of logs share counts of people by address: what is found alone and together, what they learn of each other, and who is "
        "paid what.",
        lines("""
            ato generate --rows 30_000 --seed 7 -o logs
            ato collaborate logs --owners 4 -o shared
        """),
        pages=(("shared/report.html", "The report on detection together"),),
        needs=("learn",),
    ),
    Stop(
        "Go on where one machine ends",
        "The same release by Spark: the same people in the same classes, in the same order.",
        lines("""
            publish adult.parquet -s adult.toml --quasi age,workclass --node age=2,workclass=1 --engine spark -o spark.parquet
            verify spark.parquet
        """),
        needs=("spark",),
        programs=("java",),
    ),
    Stop(
        "What the sources print",
        "Tables and figures of the publications behind sfumato, printed values beside ours.",
        lines("reproduce --only leakage-fig-2 --only thesis-example-8 -o reproduced"),
        pictures=(("reproduced/leakage-fig-2.svg", "Distributions of occupations before and after"),),
        needs=("studies", "report"),
    ),
)
STOPS = (*PREPARE, *RELEASE, *JUDGE, *NEGOTIATE, *BEYOND, *APPLY)
