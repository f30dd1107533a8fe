"""What is known of each address, subnet and country from the sign-ins there: how many, of how many people and organizations, with the
right password and without it. Plain SQL that every engine reads alike."""
