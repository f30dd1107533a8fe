"""Bad input, made by rule: good files (`world`), how they are spoiled (`mutations`, `documents`, `tables`, `words`), and how a case is
run and judged (`running`)."""
