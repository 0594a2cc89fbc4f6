-- An export of a list can have some rows only; without ids it has all.
alter table exports add column ids uuid[] default '{}';
