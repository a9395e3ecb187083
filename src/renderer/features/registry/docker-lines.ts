import { type Section, tabOf } from '../resources'
import { repositories, robotAccounts } from './repositories'

/** A word as a POSIX shell reads it whole; PowerShell reads these quotes alike. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Host without scheme and trailing slashes, as image references begin. */
export const bareHost = (host: string): string => host.replace(/^https?:\/\//i, '').replace(/\/+$/, '')

interface Login {
  readonly host: string
  /** The name the robot account's secret is kept under. */
  readonly kept: string
  readonly user: string
}

/** Signs in with a kept secret, which goes through standard input: never onto a command line or into a shell's history. */
export const loginLine = ({ host, kept, user }: Login): string =>
  `companion secret print ${shellWord(kept)} | docker login ${shellWord(bareHost(host))} --username ${shellWord(user)} --password-stdin`

/** What an image is called at the registry. */
const reference = (host: string, repository: string, tag: string): string =>
  `${bareHost(host)}/${repository}:${tag === '' ? 'latest' : tag}`

interface Image {
  readonly host: string
  readonly repository: string
  readonly tag: string
}

/** Gives a local image its name at the registry. */
export const tagLine = ({ host, repository, tag }: Image, local: string): string =>
  `docker tag ${shellWord(local)} ${shellWord(reference(host, repository, tag))}`

/** Sends an image to the registry. */
export const pushLine = ({ host, repository, tag }: Image): string =>
  `docker push ${shellWord(reference(host, repository, tag))}`

/** Takes an image from the registry. */
export const pullLine = ({ host, repository, tag }: Image): string =>
  `docker pull ${shellWord(reference(host, repository, tag))}`

/** The tab with lines for a terminal. */
export const dockerPath = '/registry/docker'

export const registrySection: Section = {
  title: (t) => t('registry:title'),
  state: (t) => t('registry:state'),
  label: (t) => t('registry:tabs'),
  tabs: [tabOf(repositories), tabOf(robotAccounts), { to: dockerPath, label: (t) => t('registry:docker.tab') }],
}
