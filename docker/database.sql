-- Run once by PostgreSQL's image, as superuser, in a new cluster. Does everything that OPERATING.md requires of an
-- operator's own database.

\getenv owner_password KONTOR_OWNER_PASSWORD
\getenv books_password KONTOR_BOOKS_PASSWORD

-- Owns the database, and is no superuser.
create role kontor login password :'owner_password';
-- Owns nothing: requests and jobs run as this role.
create role kontor_books login password :'books_password';
grant kontor_books to kontor;

create database kontor owner kontor;
revoke connect on database kontor from public;
grant connect on database kontor to kontor_books;

\connect kontor
-- `migrate` prints these for a superuser: with them, indexes serve filters under row-level security.
alter function enum_eq(anyenum, anyenum) leakproof;
alter function numeric_eq(numeric, numeric) leakproof;
alter function numeric_ge(numeric, numeric) leakproof;
alter function numeric_gt(numeric, numeric) leakproof;
alter function numeric_le(numeric, numeric) leakproof;
alter function numeric_lt(numeric, numeric) leakproof;
alter function textlike(text, text) leakproof;
alter function texticlike(text, text) leakproof;
