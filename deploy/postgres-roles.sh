#!/bin/sh
# Runs once, on an empty database folder: two roles and the database. What they may do is in roles.sql.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set owner_password="$NEOTOMA_OWNER_PASSWORD" --set app_password="$NEOTOMA_APP_PASSWORD" <<'SQL'
CREATE ROLE neotoma_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE neotoma_app LOGIN PASSWORD :'app_password';
CREATE DATABASE neotoma OWNER neotoma_owner;
SQL
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname neotoma \
  --set owner=neotoma_owner --set app=neotoma_app --file /deploy/roles.sql
