"""The pages of the service that are about people: signing in, joining, the account, who is here, what was done."""
