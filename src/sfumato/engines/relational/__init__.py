"""What engines that speak SQL share: the queries that count and recode, in the dialect of each."""
