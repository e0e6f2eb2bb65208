/** The page at `/`. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plexus hive</title>
<link rel="stylesheet" href="/page.css">
</head>
<body>
<main id="main"></main>
<script src="/page.js"></script>
</body>
</html>
`;
