-- A shop that lends films, in the manner of pagila: partitions, views, functions, an owner that is not the superuser.
CREATE SCHEMA rental AUTHORIZATION schema_owner;
SET ROLE schema_owner;
CREATE TABLE rental.customer (id int PRIMARY KEY, first_name text, last_name text, email text, active bool);
CREATE TABLE rental.staff (id int PRIMARY KEY, username text, password text);
CREATE TABLE rental.film (id int PRIMARY KEY, title text, rate numeric);
CREATE TABLE rental.inventory (id int PRIMARY KEY, film_id int REFERENCES rental.film);
CREATE TABLE rental.rental (id int PRIMARY KEY, inventory_id int REFERENCES rental.inventory,
  customer_id int REFERENCES rental.customer);
CREATE TABLE rental.payment (id int, customer_id int, amount numeric, paid_at date) PARTITION BY RANGE (paid_at);
CREATE TABLE rental.payment_2024 PARTITION OF rental.payment FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE rental.payment_2025 PARTITION OF rental.payment FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE VIEW rental.film_list AS SELECT title, rate FROM rental.film;
CREATE VIEW rental.customer_list WITH (security_invoker = true) AS SELECT id, last_name FROM rental.customer;
CREATE VIEW rental.customer_report AS SELECT count(*) FROM rental.customer_list;
CREATE VIEW rental.invoker_over_all WITH (security_invoker = on) AS
  SELECT f.title, c.last_name FROM rental.film_list f, rental.customer_list c;
CREATE MATERIALIZED VIEW rental.sales AS SELECT customer_id, sum(amount) FROM rental.payment GROUP BY 1;
CREATE VIEW rental.invoker_over_sales WITH (security_invoker) AS SELECT * FROM rental.sales;
GRANT USAGE ON SCHEMA rental TO readers, clerks, hal, no_connect;
GRANT SELECT ON rental.film, rental.film_list, rental.customer_list, rental.customer_report,
  rental.invoker_over_all, rental.invoker_over_sales TO readers, hal;
GRANT SELECT (id, last_name) ON rental.customer TO readers;
GRANT SELECT, INSERT, UPDATE ON rental.rental, rental.payment TO clerks;
GRANT UPDATE (email) ON rental.customer TO clerks WITH GRANT OPTION;
GRANT DELETE ON rental.rental TO managers;
GRANT SELECT ON rental.payment_2024 TO hal;
REVOKE ALL ON rental.staff FROM schema_owner;
CREATE VIEW rental.staff_list AS SELECT username FROM rental.staff;
GRANT SELECT ON rental.staff_list TO hal;
RESET ROLE;
