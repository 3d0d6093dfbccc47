"""The database: the only package that knows SQLAlchemy, beside the migrations."""
