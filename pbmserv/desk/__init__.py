"""The one door: every command from every side comes through :class:`pbmserv.desk.door.Desk`."""
