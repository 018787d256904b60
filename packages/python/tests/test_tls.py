"""HTTPS: whom a client trusts."""

import datetime
import ipaddress
import ssl
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from billhook import Billhook, BillhookError


def write_certificate(folder):
    """A certificate that signs itself, for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = builder.add_extension(address, False).sign(key, hashes.SHA256())
    file = Path(folder, "certificate.pem")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(certificate.public_bytes(Encoding.PEM) + pem)
    return file


class Tls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate = write_certificate(folder.name)
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                asked.append(self.connection)
                self.send_response(200)
                answer = b'{"exists":true}'
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda *_: None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self.port = server.server_port
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def test_is_refused_where_the_certificate_is_not_trusted(self):
        with self.assertRaises(BillhookError) as caught:
            Billhook(f"https://127.0.0.1:{self.port}", attempts=1).identity_exists("x")
        self.assertEqual((caught.exception.code, self.asked), ("unreachable", []))

    def test_is_refused_where_the_certificate_is_for_another_name(self):
        context = ssl.create_default_context(cafile=str(self.certificate))
        with self.assertRaises(BillhookError) as caught:
            Billhook(f"https://localhost:{self.port}", attempts=1, ssl_context=context).identity_exists("x")
        self.assertEqual((caught.exception.code, self.asked), ("unreachable", []))

    def test_is_spoken_where_the_certificate_is_trusted(self):
        context = ssl.create_default_context(cafile=str(self.certificate))
        with Billhook(f"https://127.0.0.1:{self.port}", ssl_context=context) as billhook:
            self.assertEqual([billhook.identity_exists("x") for _ in range(3)], [True] * 3)
        self.assertLess(len({id(connection) for connection in self.asked}), 3)


if __name__ == "__main__":
    unittest.main()
