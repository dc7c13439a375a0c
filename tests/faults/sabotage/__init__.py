"""A build with one of its promises switched off, to see that the checker finds out.

A process runs it with `DJANGO_SETTINGS_MODULE=tests.faults.sabotage.settings` and `FAULTS_SABOTAGE`: words of
`tests.faults.sabotage.apps.SABOTAGES`, divided by commas. The product itself knows nothing of this.
"""
