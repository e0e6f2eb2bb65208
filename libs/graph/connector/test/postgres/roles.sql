-- Roles of all three schemas. `with inherit …` is added by the test where the server knows it.
CREATE ROLE readers NOLOGIN;
CREATE ROLE clerks NOLOGIN;
CREATE ROLE managers NOLOGIN IN ROLE clerks;
CREATE ROLE schema_owner NOLOGIN;
CREATE ROLE ann LOGIN IN ROLE readers;
CREATE ROLE bob LOGIN IN ROLE managers;
CREATE ROLE cyd LOGIN NOINHERIT IN ROLE managers;
CREATE ROLE dan LOGIN IN ROLE pg_read_all_data;
CREATE ROLE eve LOGIN IN ROLE pg_write_all_data;
CREATE ROLE fay LOGIN SUPERUSER;
CREATE ROLE gus LOGIN NOINHERIT IN ROLE fay;
CREATE ROLE hal LOGIN;
CREATE ROLE ivy LOGIN IN ROLE schema_owner;
CREATE ROLE "Odd.Name/""x" LOGIN IN ROLE readers;
CREATE ROLE no_connect LOGIN IN ROLE readers;
CREATE ROLE gone NOLOGIN;
