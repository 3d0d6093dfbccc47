def require_right(call, userid, source):
    pass
