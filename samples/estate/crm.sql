CREATE ROLE crm_reader;
CREATE ROLE shop LOGIN IN ROLE crm_reader;
CREATE ROLE reports LOGIN;
CREATE TABLE customers (id int PRIMARY KEY, email text, birthday date);
COMMENT ON TABLE customers IS 'who buys from us @pii';
CREATE TABLE prices (item text PRIMARY KEY, amount int);
GRANT SELECT ON customers TO crm_reader;
GRANT SELECT ON prices TO reports;
