import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'
import { replaced } from '../support/replaced.js'

/** Where the things are that a deployed file names. */
export interface Places {
  readonly httpPort: number
  readonly httpsPort: number
  readonly upstreamPort: number
  /** For logs and sockets. */
  readonly directory: string
  readonly certificateFile: string
  readonly keyFile: string
  /** The certificate and the key in one file. */
  readonly bothFile: string
}

export interface Deployed {
  /** The file that operators copy, relative to the project. */
  readonly file: string
  /** What stands there for an address, a port or a path, what replaces it, and how often it must be there. */
  readonly replacements: (places: Places) => readonly (readonly [from: string, to: string, times: number])[]
  /** Makes of the file a whole configuration, where it is a part of one. */
  readonly whole?: (directory: string) => string
  /** The arguments that start it with this configuration, or only try the configuration. */
  readonly args: (configFile: string, directory: string) => { readonly run: readonly string[]; readonly try: string[] }
}

export const LOG = 'log'
const AWAY = join(projectRoot, 'deploy/proxy/away.html')

/** The files of deploy/ for each proxy. */
export const deployed = {
  nginx: {
    file: 'deploy/nginx/billhook.conf',
    replacements: ({ httpPort, httpsPort, upstreamPort, directory, certificateFile, keyFile }) => [
      ['server 127.0.0.1:8080;', `server 127.0.0.1:${upstreamPort};`, 1],
      ['listen 80;', `listen 127.0.0.1:${httpPort};`, 1],
      ['listen [::]:80;', `listen unix:${directory}/http6;`, 1],
      ['listen 443 ', `listen 127.0.0.1:${httpsPort} `, 1],
      ['listen [::]:443 ', `listen unix:${directory}/https6 `, 1],
      ['/var/log/nginx/billhook.log', join(directory, LOG), 1],
      ['/etc/letsencrypt/live/pay.example/fullchain.pem', certificateFile, 1],
      ['/etc/letsencrypt/live/pay.example/privkey.pem', keyFile, 1],
      ['root /etc/nginx/billhook;', `root ${join(AWAY, '..')};`, 1],
    ],
    whole: (directory) => `daemon off;
master_process off;
pid ${directory}/pid;
error_log /dev/null;
events { worker_connections 200; }
http {
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  include ${directory}/deployed;
}
`,
    args: (file, directory) => {
      const run = ['-p', directory, '-e', '/dev/null', '-c', file]
      return { run, try: [...run, '-t'] }
    },
  },
  caddy: {
    file: 'deploy/caddy/Caddyfile',
    replacements: ({ httpPort, httpsPort, upstreamPort, directory, certificateFile, keyFile }) => [
      ['\n{\n', `\n{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`, 1],
      ['\npay.example {\n', `\npay.example {\n\ttls ${certificateFile} ${keyFile}\n`, 1],
      ['/var/log/caddy/billhook.log', join(directory, LOG), 1],
      ['127.0.0.1:8080', `127.0.0.1:${upstreamPort}`, 1],
      ['root * /etc/caddy/billhook', `root * ${join(AWAY, '..')}`, 1],
    ],
    args: (file) => {
      const config = ['--adapter', 'caddyfile', '--config', file]
      return { run: ['run', ...config], try: ['validate', ...config] }
    },
  },
  haproxy: {
    file: 'deploy/haproxy/haproxy.cfg',
    replacements: ({ httpPort, httpsPort, upstreamPort, directory, bothFile }) => [
      ['log /dev/log local0', 'log stdout format raw local0', 1],
      ['  user haproxy\n  group haproxy\n', '', 1],
      ['maxconn 10000', 'maxconn 100', 1],
      ['bind :80\n', `bind 127.0.0.1:${httpPort}\n`, 1],
      ['bind :::80 v6only\n', `bind unix@${directory}/http6\n`, 1],
      ['bind :443 ', `bind 127.0.0.1:${httpsPort} `, 1],
      ['bind :::443 v6only ', `bind unix@${directory}/https6 `, 1],
      ['/etc/haproxy/certs/pay.example.pem', bothFile, 2],
      ['127.0.0.1:8080', `127.0.0.1:${upstreamPort}`, 2],
      ['file /etc/haproxy/billhook/away.html', `file ${AWAY}`, 3],
    ],
    args: (file) => ({ run: ['-db', '-f', file], try: ['-c', '-f', file] }),
  },
} as const satisfies Record<string, Deployed>

export type ProxyName = keyof typeof deployed

export const proxyNames = Object.keys(deployed) as readonly ProxyName[]

/** The deployed file with its addresses, ports and paths replaced, and nothing else. */
export function atPlaces(name: ProxyName, places: Places): string {
  const { file, replacements }: Deployed = deployed[name]
  let text = readFileSync(join(projectRoot, file), 'utf8')
  for (const [from, to, times] of replacements(places)) text = replaced(text, from, to, times)
  return text
}

/** Clients share connections to the service from their first request on, which is the hardest case. */
export function shareConnections(name: ProxyName): (text: string) => string {
  return (text) => (name === 'haproxy' ? replaced(text, 'http-reuse safe', 'http-reuse always', 1) : text)
}
