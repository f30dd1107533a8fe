"""Common given names and family names of some languages, without accents: enough to notice that a column lists people, no more.

The lists are ours. Names that are common words as well, or places, are left out.
"""

from __future__ import annotations

GIVEN = frozenset(
    """
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony steven paul andrew joshua
    kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon
    benjamin samuel gregory alexander patrick jack dennis jerry tyler aaron jose adam nathan henry peter kyle noah ethan mary patricia
    jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle
    carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole
    anna samantha katherine christine helen debra rachel carolyn janet maria olivia heather diane julie joyce ruth hans klaus wolfgang
    jurgen dieter manfred uwe gunter horst bernd werner heinz helmut gerhard stefan andreas markus matthias lukas leon finn jonas felix
    maximilian tim florian sebastian tobias jens frank ralf sven torsten holger karl otto fritz ursula monika renate petra sabine andrea
    claudia susanne birgit heike karin gisela brigitte ingrid helga elke christa martina katrin anja silke ulrike kerstin julia
    katharina lena leonie hannah lea sophie johanna greta frieda jean pierre michel andre philippe rene louis alain jacques bernard
    marcel gerard francois laurent nicolas christophe olivier julien thierry guillaume mathieu antoine hugo gabriel raphael arthur marie
    jeanne francoise monique catherine nathalie isabelle sylvie valerie sandrine celine aurelie camille chloe manon ines louise alice
    antonio manuel francisco juan pedro jesus javier carlos miguel alejandro rafael fernando luis sergio pablo jorge alberto alvaro
    diego raul enrique carmen josefa isabel dolores pilar teresa ana francisca cristina lucia marta elena concepcion paula sara alba
    rocio beatriz giovanni giuseppe francesco marco luca matteo giulia chiara mohammed muhammad ahmed ali omar fatima aisha mehmet
    mustafa ayse ivan sergei olga natalia piotr katarzyna lars astrid wei yuki hiroshi priya rahul sanjay
    """.split()
)
FAMILY = frozenset(
    """
    smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson anderson taylor moore jackson
    perez thompson harris sanchez clark ramirez lewis robinson allen wright torres nguyen flores adams nelson mitchell roberts evans
    murphy bailey kelly muller mueller schmidt weber meyer wagner becker schulz hoffmann schroder schroeder neumann kruger krueger
    hofmann hartmann schmitt werner krause meier lehmann schmid schulze maier kohler koehler herrmann walter mayer huber peters scholz
    moller moeller martin bernard dubois durand leroy moreau simon laurent lefebvre michel bertrand roux fournier morel girard lefevre
    mercier dupont lambert bonnet francois legrand garnier faure rousseau guerin fernandez gomez jimenez ruiz diaz munoz alvarez romero
    alonso gutierrez navarro dominguez vazquez ramos gil molina suarez castro ortega marin sanz iglesias medina garrido rossi russo
    ferrari bianchi kowalski nowak ivanov petrov jensen hansen nielsen larsen johansson andersson yilmaz kaya demir khan singh kumar
    sharma patel chen wang zhang tanaka suzuki sato kim
    """.split()
)
