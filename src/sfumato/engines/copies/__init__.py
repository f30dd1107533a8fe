"""Sources that no engine reads itself: workbooks, files of statistics packages, databases. Their rows are copied into a Parquet file in
the engine's private folder, and their number is compared with what the source says."""
