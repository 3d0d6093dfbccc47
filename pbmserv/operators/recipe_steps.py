"""The steps of ``mail setup``: a title and lines for a shell of root, with places to fill in."""

from pbmserv.daemon.service_manager import RELOAD, SHUT_IN

USER = """\
Create a user that owns the games, and a folder for them
id $user > /dev/null 2>&1 ||
    useradd --system --user-group --home-dir $home --shell /usr/sbin/nologin $user
[ -d $folder ] || install -d -o $user -m 700 $folder
"""
COMMAND = """\
Create the command pbmserv, which runs everything as that user, and the database
cat > /usr/local/sbin/pbmserv <<'END'
#!/bin/sh
[ "$$(id -un)" = $user ] || exec runuser -u $user -- "$$0" "$$@"
${unset}export HOME=$home PBMSERV_CONFIG=$config XDG_RUNTIME_DIR=/run/pbmserv
exec $program "$$@"
END
chmod 755 /usr/local/sbin/pbmserv
${brought}/usr/local/sbin/pbmserv db upgrade
"""
SERVICE = f"""\
Create the service
cat > /etc/systemd/system/pbmserv.service <<'END'
[Unit]
Description=pbmserv: commands, mail in and out, and the clocks
After=network.target

[Service]
Type=notify
User=$user
ExecStart=/usr/local/sbin/pbmserv serve$way
{RELOAD.replace("$", "$$")}
Restart=always
RestartSec=10
WatchdogSec=5min
RuntimeDirectory=pbmserv
RuntimeDirectoryMode=0700
UMask=0077
{SHUT_IN}ProtectHome=$hidden
ReadWritePaths=$written

[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable pbmserv.service
systemctl restart pbmserv.service
"""
RECEIVE = """\
Create the program that receives each mail; it exits with 0 or 75 only
cat > /usr/local/lib/pbmserv-receive <<'END'
#!/bin/sh
/usr/local/sbin/pbmserv mail receive \\
    --recipient="$${1-$$RECIPIENT}" --sender="$${2-$$SENDER}" || exit 75
END
chmod 755 /usr/local/lib/pbmserv-receive
"""
POSTFIX = """\
Postfix: accept mail for $domain, also at addresses with a token
postconf -h recipient_delimiter | grep -q + || postconf -e 'recipient_delimiter = +'
postconf -hx mydestination relay_domains virtual_alias_domains virtual_mailbox_domains |
    tr -s ' ,' '\\n' | grep -qxF $domain ||
    postconf -e "mydestination = $$(postconf -h mydestination), $domain"
"""
ALIAS = """\
grep -q '^$local:' /etc/aliases || echo '$local: $alias' >> /etc/aliases
newaliases
"""
TRANSPORT = """\
echo '$address $next_hop' > /etc/postfix/pbmserv
postconf -h transport_maps | grep -qF texthash:/etc/postfix/pbmserv ||
    postconf -e "transport_maps = texthash:/etc/postfix/pbmserv $$(postconf -h transport_maps)"
postfix reload
"""
PIPE_STEP = """\
postconf -e 'pbmserv_destination_recipient_limit = 1'
postconf -M "pbmserv/unix=pbmserv unix - n n - 1 pipe flags=Rq user=$user null_sender= \\
    argv=/usr/local/lib/pbmserv-receive \\$${recipient} \\$${sender}"
"""
FORWARD = """\
echo '$maildir/' > $home/$forward
chown $user: $home/$forward
postfix reload
"""
EXIM = """\
Exim: accept mail for $domain; add a router and a transport, in one file or in split files
grep -q "^dc_other_hostnames='.*$domain" /etc/exim4/update-exim4.conf.conf ||
    sed -i "s/^dc_other_hostnames='/&$domain;/" /etc/exim4/update-exim4.conf.conf
cat > /etc/exim4/conf.d/router/350_pbmserv <<'END'
pbmserv:
  driver = accept
  domains = $domain
  local_parts = $local
  local_part_suffix = +*
  local_part_suffix_optional
  transport = pbmserv
END
cat > /etc/exim4/conf.d/transport/35_pbmserv <<'END'
pbmserv:
  driver = pipe
  command = /usr/local/lib/pbmserv-receive
  user = $user
  return_path_add
  temp_errors = 73 : 75
  return_output = false
  timeout_defer
END
grep -q "^dc_use_split_config='true'" /etc/exim4/update-exim4.conf.conf ||
    update-exim4.conf.template -r
update-exim4.conf
systemctl restart exim4
"""
OPENSMTPD = """\
OpenSMTPD: hand mail for $address to the service
cat > /etc/smtpd.pbmserv.conf <<'END'
action "pbmserv" relay host "lmtp://$listen"
match from any for rcpt-to regex "^$local_regex([+].*)?@$domain_regex$$" action "pbmserv"
END
grep -qF /etc/smtpd.pbmserv.conf /etc/smtpd.conf ||
    sed -i '1i include "/etc/smtpd.pbmserv.conf"' /etc/smtpd.conf
systemctl restart opensmtpd
"""
PROCMAIL = """\
procmail: the mail server delivers $local+ANYTHING@$domain to $user, too
grep -qsF '$maildir/' $home/.procmailrc || cat >> $home/.procmailrc <<'END'
:0
* ^TO_$local_regex([+][a-z0-9]+)?@$domain_regex
$maildir/
END
chown $user: $home/.procmailrc
"""
GETMAIL = """\
getmail, every minute, for a mailbox at a provider that also accepts $local+ANYTHING@$domain;
# fill in server, username and password_command, and mail_transport in the settings:
# smtp://USER:PASSWORD@HOST:587
cat > $folder/getmailrc <<'END'
[retriever]
type = SimpleIMAPSSLRetriever
server = imap.example.org
username = $local
password_command = ("cat", "/etc/pbmserv-mailbox-password")
mailboxes = ("INBOX",)

[destination]
type = Maildir
path = $maildir/

[options]
read_all = false
delete = true
delivered_to = false
received = false
END
echo '* * * * * getmail --quiet --getmaildir=$folder --rcfile=getmailrc' | crontab -u $user -
"""
CHECK = """\
Check everything: a mail to the server itself goes out and comes back
/usr/local/sbin/pbmserv doctor
/usr/local/sbin/pbmserv mail test
"""
GAME = """\
The first game. Two players write to $address, each from a mailbox of
# their own, with nothing but a Subject, and answer the welcome that comes back:
#     signup alice PASSWORD
#     signup bob PASSWORD
# Then alice writes the Subject
#     star challenge alice PASSWORD bob -size=6
# and answers the mail with the board: a cell such as F6 in the first line is a move.
# To check mail from and to another provider, use a mailbox there:
#     pbmserv mail test YOU@YOUR.PROVIDER
"""

LISTEN = "127.0.0.1:8024"

MAILDIR, PIPE, LMTP = "maildir", "pipe", "lmtp"
RECIPES = {
    "postfix": (MAILDIR, (POSTFIX, ALIAS, FORWARD)),
    "postfix-pipe": (PIPE, (POSTFIX, ALIAS, PIPE_STEP, TRANSPORT)),
    "postfix-lmtp": (LMTP, (POSTFIX, ALIAS, TRANSPORT)),
    "exim": (PIPE, (EXIM,)),
    "opensmtpd": (LMTP, (OPENSMTPD,)),
    "procmail": (MAILDIR, (PROCMAIL,)),
    "getmail": (MAILDIR, (GETMAIL,)),
}
"""For each mail server how mails come in, and the parts of its own step.

``serve`` takes them from a Maildir and sends letters because the settings say so.
"""
