"""What people say in place of the words of the language, as one table."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pbmserv.club.player import ME
from pbmserv.club.selectors import SELECTORS
from pbmserv.club.word_forms import BETWEEN, is_slip, nearest, stems
from pbmserv.commands.audiences import is_ending, is_own_name
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

GAME = "GAME"
"""The place behind the name of any game."""

HELP, VERSION, COMPUTER = "help", "--version", "play"
MOVE = "move BOARD USERID PASSWORD"
"""How a word is played that is no command of its own."""

SAID: Mapping[str, Mapping[str, str]] = {
    "": {
        "account export me": "exportdata exportmygames mydata",
        "account me": "variables me myaccount myprofile options preferences prefs set settings",
        "add": "addaddress addemail addmail",
        "help admin announce": "announce motd",
        "admin audit": "logfile logs taillog showlog serverlog",
        "admin check": "audit fsck integrity validate verify",
        "admin close": "deluser userdel stopplayer",
        "admin forget": "purge vacuum",
        "admin import-games": "importgames",
        "admin rate": "rebuild rebuildgamelist rebuildgameslist rebuildrankings rebuildratings"
        " rebuildstandings recalc recalculate rerate updateratings",
        "admin resume": "unban unsuspend",
        "help admin rename": "changename changeuserid changeusername newname rename username",
        "admin robot add": "newrobot robotadd",
        "admin robot list": "robot robotlist",
        "admin suspend": "suspend",
        "all show USERID": "* boards games mine my myboards mygames showboard whatgamesis"
        " whatgamesdoes",
        "all show USERID next": "howlong timeleft myturn next pending todo turn waiting whoseturn"
        " yourmove gameswaiting boardswaiting waitingfor",
        "backup": "copy dbbackup dump savedb snapshot",
        "batch": "multi multiple runfile script source",
        "block": "ignore mute stopmailsfrom stopmailfrom stopmessagesfrom nomailsfrom nomailfrom"
        " nomessagesfrom mailsfrom messagesfrom blacklist shutup complain complaint insulted rude"
        " ban kick spam abuse harass",
        "broadcast": "everybody everyone shout wall yell",
        "calendar": "agenda deadline deadlines due ical ics when remindme",
        "change address": "address changemail email mailaddress newmail",
        "change password": "changepass changepassword changepasswort changepw newpassword passwd"
        " password passwort pw setpassword",
        "db current": "dbstatus dbversion schema",
        "db upgrade": "createdatabase createdb database dbcreate dbinit dbupgrade init initdb"
        " initialise initialize migrate update upgrade",
        "demo": "showcase tour showexample examplegame samplegame",
        "digest": "daily dailymail summary onceaday emailmeonce mailmeonce onemail oneemail"
        " oneperday dailyemail",
        "doctor": "fix repair check checkup config configure debug diagnose diagnostics health"
        " selftest setup test",
        "gtp": "protocol uci",
        "help signoff": "closeaccount closed deleteme leaveclub removeme stopaccount unregister",
        "help": "menu good goodmorning goodevening ping moin ? aide guide guidelines h halp hello"
        " hey hi hilfe howto index info intro introduction man manual onlinehelp readme sos"
        " support topics usage welcome what where why aiuto ajuda apua assistance ayuda pomoc",
        "list": "sought showlist activegames activeboards allboards allgames currentgames dir"
        " gamelist listall listboards listgames lobby ls opengames running whoplays whoisplaying"
        " recent recentgames",
        "login": "su auth authenticate enter logmein logon signin",
        "logout": "adieu bye exit logoff q quit signoff signout",
        "mail run": "fetch fetchmail getmail poll processmail",
        "mail outbox list": "outbox mailqueue showmailqueue",
        "mail send": "flush mailq sendmail sendqueue",
        "mail setup": "mailsetup postfix procmail sendmailsetup setupmail smtp mailserver imap",
        "message": "answer reply respond dm letter mailto msg pm send sendmessage tell write text",
        "messages": "checkmail inbox mailbox mails read readmail",
        "news": "events notifications notices unread updates whatsnew",
        "play": "ai bot computer course cpu drill gui lern lesson lessons local machine offline pc"
        " opponentai playcomputer practice practise sit solo training train tui versus vscomputer"
        " startplaying",
        "players": "accounts whos friends member members membership online people playerlist"
        " userlist users w who whoisonline findplayer isanybody isanyone anyrobots anybots"
        " lastseen",
        "private": "anonymous hide hideme incognito",
        "puzzle": "solution exercise exercises problem problems puzzels quiz tactics tsumego"
        " anotherpuzzle nextpuzzle newpuzzle",
        "reset": "passwordforgotten passwordlost lostmypassword forgotpassword forgotten"
        " iforgotmypassword lost lostpassword lostpw passwordreset recover recoverpassword"
        " recovery resetpassword forgotmypassword remindmeof",
        "robots run": "bots runrobots startrobots",
        "serve": "run daemon listen port reload restart runserver server serverstart service"
        " startdaemon startserver stopserving",
        "signup": "usercreate usernew playeradd account# getaccount create enlist enrol enroll"
        " join joinclub newaccount newplayer reg register registration subscribeme useradd",
        "site": "http https build buildsite generate homepage makesite publish html pages web"
        " website webpage webpages www",
        "stats": "figures finger lookup player profile stat statistics status uptime user whois"
        " myrecord winloss headtohead",
        f"{SAMPLE_GAME} notify": "stop unsubscribeme mute#",
        "tick": "cleanup clocks expire housekeeping nag nightly reminders remind settle timeout",
        "tournament create": "createtournament newtournament",
        "tournament join": "entertournament join# jointournament signupfor registerfor",
        "tournament list": "championship competition competitions contest cup cups event ladder"
        " league leagues listtournaments swiss tourney tourneys tournaments",
        "vacation": "absence absent afk away adjourn break holiday holidays leaveofabsence"
        " onvacation postpone pause sleep vacations gone",
        "whoami": "amiloggedin myname whatsmyname",
        "--version": "ver version",
        f"{SAMPLE_GAME} show BOARD": "board# game# match# timeleft# whoseturn# myturn# showboard#"
        " status#",
        "all show USERID active": "whoamiplaying currentgame mycurrentgames myactivegames"
        " myrunninggames whoamiplayingwith myrunning mycurrent myactive",
        "vacation USERID PASSWORD off": "backfromvacation stopvacation imback iamback"
        " backfromholiday vacationover holidayover",
        "help index": "whatgames whichgames",
        "admin robot remove": "stoprobot killrobot",
        "unblock": "unmute unignore",
        "help clocks": "addtime moretime extratime nudge poke clocktime timecontrol isnotmoving"
        " doesnotmove doesntmove notmoving isnotplaying notplaying isslow tooslow",
        "tournament show": "pairings crosstable round# rounds",
        "play -two": "hotseat twoplayers twoplayer",
        "help report": "whoistheoperator whoisoperator whoisadmin report bug bugreport",
    },
    GAME: {
        "games USERID": "*",
        "analyse": "analysis annotate evaluate review",
        "challenge": "against ask begin challenges challengeopponent create duel fight game"
        " invitation invite invites letsplay match new newboard opponent offergame play start"
        " versus vs newchallenge",
        "chat": "comment discuss kibitz kibitzer message# msg say speak talk tell"
        " write thanks thankyou thankyouvery ty goodgame goodluck wellplayed nicemove"
        " nicegame",
        "confirm": "commit sure",
        "export": "dl download gamerecord getrecord notation pgn record save saverecord sgf",
        "games": "currentgames gamelist listgames ls",
        "help": "? about boardsize boardsizes documentation explain geometry goal h info"
        " instructions man manual objective option options rule rulebook rules sizes size sizelist"
        " kinds reglas regles regeln regole variant variants win difference differences compare"
        " spielregeln regel",
        "hint": "advice advise best bestmove computermove engine suggest suggestion tip",
        "history": "stored archive ended finished finishedgames old oldgames past pastgames"
        " results",
        "import": "load upload",
        "limit": "max maxgames maximum",
        "move": "play# coup drop go jugada lance m mossa zet zug make makemove mov mv place"
        " placestone playmove put stone",
        f"{MOVE} accept": "accept# acceptdraw acceptoffer agree agreed ok okay yes allowundo"
        " allowtakeback acceptundo accepttakeback",
        f"{MOVE} pass": "nomove null nullmove pas pass passe passen passmove skip skipmove skipturn"
        " wait",
        f"{MOVE} propose": "agreeresult claimdraw draw drawoffer offer offerdraw proposal propose"
        " nulle patta proposedraw remis requestdraw tablas split stalemate tie callit",
        f"{MOVE} reject": "declinedraw deny reject# disagree no nope refuse rejectdraw rejectoffer",
        f"{MOVE} undo": "back mistake oops retract revert rollback takeback takebackmove"
        " takemyback undo undomove undolast unmove",
        "notify": "lessmail mute quiet silence silent stopmail",
        "preview": "experiment redo sandbox simulate tryout try whatif test# trymove",
        "queue": "cue que conditional conditionals if ifthen plan plans planned premove premoves"
        " newplan",
        "queue BOARD USERID PASSWORD none": "unplan unqueue stopplan",
        "rematch": "again anothergame revanche newone playagain return revenge",
        "replay": "last# forward# gamehistory lastmove log moves movelist moveslist playback"
        " rewatch rewind step latestmove movehistory lastmoves",
        "resign": "rm# delete# abandon abort cancel concede decline declinechallenge drop# end#"
        " exit forfeit gg giveup giveupgame iresign leave lose quit abandonner abbandono aufgeben"
        " opgeven rendirse resignation retire stop# surrender withdraw refusechallenge"
        " rejectchallenge declineinvitation refuseinvitation declinegame refusegame stopboard"
        " stopchallenge",
        "score": "count eval point points result tally territory whowins whowon winner winning",
        "seek": "joingame opponents available findgame findopponent find lfg lookfor looking"
        " lookingforgame needplayer openchallenge search want wanted",
        "settled": "decided proof prove solve solved",
        "show": "refresh redraw boardstate cat map opponent# current describe diagram display"
        " drawboard game# get image look match# open pic picture png svg position pos print see"
        " state status view turn showboard# board#",
        "standings": "halloffame best elo glicko grade grades highscore highscores leader"
        " leaderboard leaderboards leaders league rank ranking rankings ranks rate rated rating"
        " scoreboard top topten top10 toplist toplayers highestrated bestplayers bestplayer",
        "submit": "check dryrun",
        "subscribe": "attend follow kibitzing observe observer spectate spectator watch watching",
        "swap": "change changecolor changecolour changesides changeseats exchange flip pie pierule"
        " pieswap side sides steal swapcolors swapcolours swapsides swop switch switchsides tausch",
        "unsubscribe": "unfollow unobserve unwatch stopwatching",
        f"/help {SAMPLE_GAME} challenge": "acceptchallenge acceptinvitation acceptinvite"
        " acceptgame",
        "/play": "ai robot bot computer cpu",
        "showas": "showplan myplan myplans myqueue queueshow showqueued",
    },
    HELP: {
        "admin": "environment exitcode exitcodes variable variables",
        "clocks": "claim extend clock days deadline forfeittime holiday nagtime reminder slow time"
        " timeleft timelimit timelimits timeout totaltime",
        "commands": "cheatsheet cmds command commandlist commands verbs",
        "computer": "difficult difficulty easy hard level strength robot bot ai",
        "ending": "end ending finish forfeit gameend gameends",
        "mail": "email emails letter letters mail mails replies reply subject",
        "mailgames": "bymail mailgame pbem playbymail",
        "multiple": "multi script",
        "pages": "web website",
        "people": "buddy club friend",
        "pictures": "ascii board boards cell cells color colors colour colours coordinate diagram"
        " notation orientation picture rotate rotation style unicode",
        "play": "keyboard keys",
        "questions": "about agree agreement backups cheat cheating config configuration credits"
        " cron draw faq forgot forgotten group install installation key license lock lockfile me"
        " password permission phone postgres postgresql privacy questions retention rights setting"
        " settings share telephone undo uninstall update upgrade upgrading users vote",
        "ratings": "elo glicko ranking rating",
        "records": "pgn record sgf",
        "report": "abuse admins behaviour bug complain complaint contact insult operator rude spam",
        "sharing": "gates restrict ssh",
        "signin": "me# session signedin",
        "tournaments": "ladder ladders league leagues",
        "tutorial": "begin beginner boardnumber boardnumbers example examples firststep firststeps"
        " gettingstarted how learn newcomer quickstart start started walkthrough",
        SAMPLE_GAME: "boardsize boardsizes challengeoptions option options points rules size sizes",
        "signoff": "close leave",
        "signup": "newaccount",
        "words": "big bridge external glossary handicap jargon komi large peri peries"
        " provisional quark rim scoring spark term tie userid words",
    },
    "admin": {
        "announce": "broadcast message motd news say shout tell",
        "audit": "event events journal log logfile logs",
        "check": "doctor fsck integrity test validate verify",
        "close": "closeaccount del delete drop erase kill rm signoff unregister stopaccount"
        " stopplayer",
        "forget": "cleanup clean expire gdpr housekeeping prune purge tidy vacuum",
        "games": "board boards game list listboards listgames ls match matches",
        "import-games": "import load",
        "inbox": "arrivals incoming received receivedmail",
        "maintenance": "maintain down lock# offline pause readonly restart shutdown stop",
        "moves": "history move record replay",
        "outbox": "bounces letter letters mail mailq mailqueue mails queue queued sent spool",
        "player": "account address addresses email finger info lookup profile stat stats user"
        " whois",
        "players": "accounts listplayers listusers member members people status userlist users who"
        " playerlist",
        "rate": "elo rating ratings rebuild rebuildgamelist rebuildratings recalc recalculate"
        " rerate standings",
        "remove": "cancel del# delete# drop# erase# kill# rm# stopboard",
        "rename": "changename changeuserid mv renameplayer renameuser",
        "reopen": "restoreplayer unclose undelete unremove",
        "reset-password": "changepassword newpassword pass passwd password pw reset resetpassword"
        " resetpw setpassword",
        "resume": "activate allow enable pardon reactivate unban unblock unfreeze unlock unsuspend",
        "robot add": "bot newrobot",
        "robot list": "bots listrobots robots",
        "show": "board# display game# match# open print see view",
        "suspend": "ban block deactivate disable disallow freeze kick lock mute",
        "undo": "back reopenboard revert rollback takeback unresign",
        "robot remove": "stoprobot killrobot closerobot robotremove",
        "remark remove": "deletemessage removemessage deleteremark deletechat removechat",
    },
    "admin remove": {"help admin close": "*"},
    "admin show": {
        "admin player USERID": "*",
        "admin players": "accounts players users",
        "admin games": "boards games matches",
        "admin robot list": "robots",
    },
    "admin robot": {
        "add": "create init make new register signup start",
        "change": "edit level modify rename set update",
        "list": "all ls status",
        "remove": "close del delete drop kill rm stop",
        "show": "info view",
        "/admin robot show USERID": "*",
    },
    "admin remark": {"remove": "del delete drop erase rm"},
    "robots": {"run": "go loop play start", "/admin robot list": "add list ls show status"},
    "change": {
        "/admin rename": "name userid username",
        "address": "addresses adress email emailaddress emails mail mailaddress",
        "password": "pass passwd passphrase passwort pw pwd",
    },
    "db": {
        "/backup": "copy dump save",
        "/restore": "load recover reset restore",
        "/doctor": "diagnose fix health repair",
        "check": "compare test verify",
        "current": "info show state status ver version where",
        "upgrade": "create init initdb initialise make migrate migration new setup update",
    },
    "mail": {
        "/message": "*",
        "/admin inbox": "arrivals inbox received",
        "outbox list": "list out ls pending queue queued show spool status",
        "outbox retry": "again resend retry",
        "receive": "deliver in pipe read",
        "run": "fetch poll start",
        "send": "deliverall flush process push sendall",
        "serve": "daemon listen lmtp server smtp",
        "setup": "config configure install postfix",
        "shunt list": "bad errors failed quarantine shunted bounce bounces",
        "test": "check doctor ping try verify",
        "/admin outbox": "logs log history",
        "/digest": "me",
    },
    "mail outbox": {"drop": "clear delete remove", "list": "all ls", "retry": "flush resend send"},
    "mail shunt": {"drop": "clear delete remove", "list": "all ls", "retry": "resend return"},
    "all": {"show": "boards display games list view"},
    "tournament": {
        "cancel": "abort delete drop remove stop",
        "create": "add make new open organise organize setup roundrobin swiss",
        "join": "enrol enroll enter participate play register signup subscribe",
        "leave": "kick remove expel drop# quit resign signoff unregister withdraw",
        "list": "all ls running",
        "show BOARD": "#",
        "show": "board boards crosstable details display games info pairings players results round"
        " rounds schedule status table view who",
        "standings": "leaderboard points rank ranking rankings score scores",
        "start": "begin go launch run",
    },
    "list": {
        "all show USERID": "*",
        f"{SAMPLE_GAME} show BOARD": "#",
        "list": "active all boards current everything finished games open recent running",
        "all show me": "me mine my self",
        "all show USERID next": "myturn next pending turn",
        "help": "topics",
        "help commands": "commands",
        "messages": "messages",
        "players": "members people player players user users who",
        "admin robot list": "bots robots",
        "tournament list": "cups tournament tournaments",
    },
    "play": {
        "play": "ai alone bot computer cpu engine game gui lern lesson lessons machine me new"
        " offline online robot solo training tui tutorial",
        "play -level=1": "beginner easy",
        "play -level=6": "difficult expert hard strong",
        "play -two": "friend friends human two",
        "puzzle": "puzzle puzzles",
        f"{SAMPLE_GAME} play BOARD me": "#",
        f"{SAMPLE_GAME} challenge me USERID": "*",
        "demo": "demo",
        f"{SAMPLE_GAME} rematch": "again rematch revanche",
    },
    "puzzle": {
        "puzzle": "daily of today todays",
        "puzzle NEXT": "another new next random",
        "puzzle NUMBER solution": "answer help hint reveal show solve",
    },
    "player": {
        "active": "current last latest newest recent running",
        "anyone": "any anybody everybody everyone somebody someone",
        "me": "i mine my myself self user userid you",
        "play": "ai bot computer cpu engine machine pbmserv pc program robot server",
        "inactive": "finished ended old done over past completed",
    },
    "-": {
        "bank": "increment",
        "handicap": "handicaps headstart stones",
        "kind": "format mode system type",
        "komi": "compensation",
        "level": "difficulty strength",
        "limit": "count first lines max maximum most n number top",
        "nagtime": "nag remind reminder",
        "forfeittime": "day days deadline forfeit limit time timelimit timeout",
        "rated": "official ranked serious",
        "side": "as black color colour first i me seat white x",
        "size": "board boardsize cells dimension edge length n rings sidelength sizes width",
        "style": "ascii box charset unicode utf8",
        "svg": "file image out output picture save",
        "text": "body content m message msg say",
        "totaltime": "bank total",
        "two": "friend hotseat human local twoplayer",
        "unrated": "casual friendly fun nonrated norating notrated practice unranked",
        "comment": "message msg m remark say text",
    },
}
"""What is meant, and what people say for it, by the place where they say it.

The places are behind ``pbmserv``, behind a game, behind another command, as the topic of help, a
player's and an option's. A word is written as :func:`plain` has it, several that people part as
one; one with ``#`` behind it is meant so where a number follows. ``#`` alone is any number, ``*``
any other word that may be a player's; what begins with a slash is meant from the root.
"""

DOING: Mapping[str, str] = {
    "stop": "cancel clear delete disable drop empty end erase no nomore off quit remove stop"
    " switchoff turnoff",
    "find": "find lookfor lookup search searchfor",
    "new": "add create make new open start",
    "show": "display list look print read see show view",
    "change": "change edit modify set switch update",
}
THINGS: Mapping[str, str] = {
    "account": "account accounts",
    "board": "board boards game games match matches",
    "challenge": "challenge challenges invitation invitations invite invites",
    "mail": "email emails mail mails notification notifications",
    "plan": "conditional conditionalmove conditionalmoves conditionals plan planned plannedmove"
    " plannedmoves plans premove premoves queue",
    "player": "member members player players user users",
    "robot": "bot bots robot robots",
    "vacation": "absence break holiday holidays vacation vacations",
    "watching": "following observing spectating subscription subscriptions watching",
}
"""What is done and to what, and the words that people say for either."""

NAMED = 'A name of several words stands in quotation marks: "Spring Cup"'
INSTEAD: Mapping[str, str] = {
    "accept": "To accept an offer: GAME move BOARD USERID PASSWORD accept; "
    "a challenge needs no answer",
    "reject": "To reject an offer: GAME move BOARD USERID PASSWORD reject; "
    "a challenge: pbmserv help GAME resign",
    "send": "To try the settings: pbmserv mail test ADDRESS",
    "chat": "To write to a player: pbmserv message alice PASSWORD bob: hello",
    "challenge": "Name both players, as in: GAME challenge alice bob",
    "challenge -": "The player who is named first plays X and moves first.",
    "message": "The password stands before the names, as in: message alice PASSWORD bob: hello",
    "import": "A record is read from standard input.",
    "reset": "For a token by mail: reset USERID",
}
"""What else a command with wrong words was likely meant to be, or an example of right ones."""

SEATING = frozenset(
    {"begin", "black", "color", "colour", "first", "seat", "side", "start", "white"}
)
"""What people ask of a challenge that the order of its players tells."""

KEPT_APART = frozenset(
    """
    bookmark diaries diary draft drafts journal jot memo memos note notebook notepad notes
    notetoself remember reminder scratchpad scribble secret thought thoughts whisper writedown
    """.split()  # noqa: SIM905 - a list to read
)
"""What people say for what nobody else is to read, which no command keeps."""

UNPROPOSED = frozenset({"signoff", "delete"})
"""What no other word is taken for: the end of an account."""

BOARD = re.compile(
    r"(?:(?:board|game|no|nr)[.:]?)?"
    r"[\[(<]?#?((?![0-9#-]{8})[0-9]{1,7}(?:#-?[0-9]+)?)[\])>]?[.,:;!?]*",
    re.IGNORECASE | re.ASCII,
)
"""A board as people write it, in no more digits than a password has characters."""

CELL = re.compile(r"[A-Za-z*]-?[0-9]{1,3}", re.ASCII)
MOST_JOINED = 4
"""How many words the table may have as one."""

LEAST_DIGITS = 3
"""No number of a board has fewer."""

DIGITS = str.maketrans("oOlI", "0011")

NOT_PLAIN = re.compile(r"[^a-z0-9]", re.ASCII)
FILLERS = frozenset(
    """
    a against am an and antw any are at aw be can command could dear do for from fw fwd going have i
    id im in is it just kindly let lets like many may much my need now of on our please pls re
    request should some subject sv that the then there this to want wants we wg whats will wish with
    would you your
    """.split()  # noqa: SIM905 - a list to read
) | {""}
"""Words, plain ones, that say nothing about what is meant."""


def plain(word: str) -> str:
    """Return a word without signs and capitals.

    >>> plain("Take-Back!")
    'takeback'
    """
    return NOT_PLAIN.sub("", word[:40].lower()) or ("?" if "?" in word else "")


def meaning(place: str, words: Sequence[str], fewest: int = 1) -> tuple[str, int]:
    """Return what the first words mean by the table of the place, and how many of them say it."""
    table = by_word(place)
    for count in range(min(MOST_JOINED, len(words)), fewest - 1, -1):
        joined = "".join(map(plain, words[:count]))
        is_numbered = bool(board_among(words[count : count + 2]))
        for said in (joined, _in_short(joined)):
            if found := (table.get(f"{said}#", "") if is_numbered else "") or table.get(said, ""):
                return found, count
    return "", 1


def _in_short(said: str) -> str:
    """Return what is done and to what in the words that the table has for both.

    >>> _in_short("turnoffmyemails")
    'stopmail'
    """
    pair = _pairs().fullmatch(said)
    if not pair:
        return said
    doing, thing = (pair[1], pair[2]) if pair[1] else ("off", pair[3])
    return f"{_first_of(DOING)[doing]}{_first_of(THINGS)[thing]}"


@cache
def _pairs() -> re.Pattern[str]:
    doing, things = ("|".join(_first_of(each)) for each in (DOING, THINGS))
    between = "(?:a|all|an|any|every|my|that|the|this|your)*"
    return re.compile(rf"({doing}){between}({things})|({things})off")


def _first_of(table: Mapping[str, str]) -> Mapping[str, str]:
    """Return for each word the one that stands for it and others."""
    return {word: first for first, words in table.items() for word in words.split()}


def meant(place: str, words: Sequence[str]) -> str:
    """Return what the first words mean by the table of the place, or nothing."""
    return meaning(place, words)[0]


def meant_together(place: str, words: Sequence[str]) -> str:
    """Return what the first words mean that the table of the place has as one, or nothing."""
    return meaning(place, words, 2)[0]


def without_fillers(words: Sequence[str], others: Collection[str] = ()) -> list[str]:
    """Return the words that say something about what is meant, none of those ``others``."""
    return [word for word in words if plain(word) not in FILLERS and word.lower() not in others]


def no_notes(words: Sequence[str]) -> str:
    """Return what is said of words that begin with one for what nobody else is to read."""
    known = {ME, *game_names()}
    said = [word for word in map(plain, without_fillers(words, known)) if not word.isdigit()][:2]
    forms = {*said, "".join(said), *(stem for word in said for stem in stems(word))}
    return "There are no private notes yet." * bool(forms & KEPT_APART)


@cache
def by_word(place: str) -> Mapping[str, str]:
    """Return what each word means in the place."""
    table = SAID.get(place, {})
    games = [] if place else [find_game(name) for name in game_names()]
    return {
        **{word: meaning for meaning, words in table.items() for word in words.split()},
        **{word: game.name for game in games for word in game.nicknames},
    }


def is_said(word: str) -> bool:
    """Tell whether people say the word for a command somewhere."""
    return any(plain(word) in by_word(place) for place in SAID)


def is_known(word: str, names: Iterable[str]) -> bool:
    """Tell whether a word is one of the language, or a slip for one, and so no secret."""
    is_one = is_said(word) or plain(word) in FILLERS
    return is_slip(word, [*names, *[plain(word)] * is_one])


def vote_hint(text: str, votes: Sequence[str]) -> str:
    """Return which of the words that may be sent as a move people say ``text`` for, or nothing."""
    said = meant(GAME, [text]).removeprefix(MOVE).strip()
    near = nearest(said if said in votes else text, votes)
    is_own = any(is_own_name(word, near) for word in text.lower().split())
    if is_ending(f"{SAMPLE_GAME} {near}") and not is_own:
        near = f"pbmserv {HELP} {near}"
    return f"Did you mean {near}?" if near else ""


def option_meant(name: str, known: Collection[str]) -> str:
    """Return the option of those known for which people say ``name``, or nothing."""
    said = plain(name)
    return next(
        (own for own, words in SAID["-"].items() if own in known and said in [own, *words.split()]),
        "",
    )


def player_hint(path: str, word: str, *, in_shell: bool) -> str:
    """Return what a word in the place of a userid was likely meant to be, where it is nobody's."""
    *before, verb = path.split(" ")
    board, is_in_game = BOARD.fullmatch(word), before[-1] in game_names()
    if board and (is_in_game or not word[0].isdigit()) and len(board[1]) >= LEAST_DIGITS:
        return f"Did you mean {f'{before[-1]} show ' * word[0].isdigit()}{board[1]}?"
    if is_in_game and word.lower() in game_names():
        return f"Did you mean {word.lower()} {verb}?"
    said = meant("player", [word])
    if said == ME and not in_shell:
        return "Write a userid."
    if said in SELECTORS:
        return f"Did you mean {f'{ME} ' * in_shell}{said}?"
    if said != COMPUTER:
        return f"Did you mean {said}?" if said else ""
    here = f"Play the computer with: pbmserv play {SAMPLE_GAME}\n" if in_shell else ""
    return f"{here}Computer players have userids too: pbmserv players"


def misplaced_hint(word: str) -> str:
    """Return what is said of a word in the place of a userid that is a word of a sentence."""
    is_other = plain(word) and (is_said(word) or plain(word) in FILLERS or word in game_names())
    return "Only userids and boards stand there." if is_other else ""


def argument_hint(path: str, word: str, words: Sequence[str], hint: str) -> str:
    """Return what a word behind the command ``path`` was likely meant to be, else the ``hint``.

    ``words`` are all behind the command, of which one that says nothing is passed over.
    """
    place = path.partition(" ")[2]
    telling = without_fillers(words)
    if plain(word) in FILLERS and telling and not meant(place, [word]):
        word = telling[0]
    own = {meant(place, [mine]) for mine in map(plain, words) if mine in {ME, "mine", "my"}}
    if own - {""}:
        return f"Did you mean pbmserv {own.pop()}?"
    if place == COMPUTER and (move := _move_hint(SAMPLE_GAME, words)):
        return move
    if near := nearest(word, game_names()):
        return f"Did you mean {path} {near}?"
    if board := board_among([word]):
        said = by_word(place).get("#", f"{place} {SAMPLE_GAME} BOARD")
        return f"Did you mean pbmserv {said.replace('BOARD', board)}?"
    if said := meant(place, [word]):
        return f"Did you mean pbmserv {said}?"
    other = by_word(place).get("*")
    return f"{hint}\nIf you meant a player: pbmserv {other}" if other else hint


def _move_hint(game: str, words: Sequence[str]) -> str:
    """Return the move that words behind ``play`` say, or nothing."""
    cell = next(filter(CELL.fullmatch, words), "")
    move = MOVE.replace("BOARD", board_among(words) or "BOARD")
    return f"Did you mean {game} {move} {cell}?" if cell else ""


def play_hint(game: str, words: Sequence[str]) -> str:
    """Return what words behind ``play`` and a game were likely meant to be, or nothing."""
    first, *rest = without_fillers(words, BETWEEN) or words
    if option := option_meant(first, ("size", "side", "level")):
        return f"Did you mean -{option}={rest[0] if rest else '...'}?"
    if move := _move_hint(game, words):
        return move
    said = meant("play", [first])
    is_play = said.partition(" ")[0] == "play"
    return f"Did you mean pbmserv {said.replace('play', f'play {game}')}?" if is_play else ""


def option_told(verb: str, word: str) -> str:
    """Return what is said of a word, or an option, that people look for but that is none."""
    return INSTEAD.get(f"{verb} -", "") if plain(word) in SEATING else ""


def instead_hint(path: str, about: str, words: Sequence[str]) -> str:
    """Return what else the command may have been meant to be, or an example of it.

    ``about`` is the one of the ``words`` that was wrong, if one was.
    """
    *before, verb = path.split(" ")
    is_named = words[1:] and before[-1] == "tournament"
    line = NAMED if is_named else option_told(verb, about) or INSTEAD.get(verb, "")
    line = line.replace("GAME", before[-1])
    return line.replace("BOARD", board_among([about]) or "BOARD")


def board_among(words: Sequence[str]) -> str:
    """Return the number of the first board among the words, or nothing."""
    found = [match[1] for match in map(BOARD.fullmatch, map(_in_digits, words)) if match]
    return (
        next(
            (number for number in found if len(number.partition("#")[0]) >= LEAST_DIGITS), found[0]
        )
        if found
        else ""
    )


def _in_digits(word: str) -> str:
    """Return a number with digits for the letters that are taken for them."""
    return word.translate(DIGITS) if word[:1].isdigit() else word
