"""Programs around the product: the demo, a sample repository, and the parts that they share with tests."""
