"""Puts our site in the place of Django's."""

from django.contrib.admin import apps


class AdminConfig(apps.AdminConfig):
    default_site = "neotoma.adminsite.site.Site"
