-- A shop that sells music, in the manner of Chinook: mixed-case names, inheritance, default privileges.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO readers;
CREATE TABLE "Artist" ("ArtistId" int PRIMARY KEY, "Name" text);
CREATE TABLE "Album" ("AlbumId" int PRIMARY KEY, "Title" text, "ArtistId" int REFERENCES "Artist");
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE SELECT ON TABLES FROM readers;
CREATE TABLE "Track" ("TrackId" int PRIMARY KEY, "Name" text, "AlbumId" int REFERENCES "Album");
CREATE TABLE "Playlist.Track" ("Id" int);
CREATE TABLE "Person" ("Id" int, "Email" text);
CREATE TABLE "Employee" ("Salary" numeric) INHERITS ("Person");
CREATE TABLE "Customer" ("Company" text) INHERITS ("Person");
CREATE TABLE "Invoice" ("Id" int, "Total" numeric);
GRANT SELECT ON "Track" TO PUBLIC;
GRANT ALL ON "Playlist.Track" TO "Odd.Name/""x";
GRANT SELECT ON "Person" TO clerks;
GRANT TRUNCATE ON "Invoice" TO clerks;
GRANT REFERENCES, TRIGGER ON "Invoice" TO hal;
GRANT SELECT ON "Employee" TO gone;
