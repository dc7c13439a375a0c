"""The admin, where staff live: the stock admin with a site, pages and templates of our own."""
