import type { ConnectionView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { editPath } from '../connections/paths'
import { CommandLine } from './command-line'
import { loginLine, pullLine, pushLine, tagLine } from './docker-lines'
import styles from './registry.module.css'

/** Says that the host for images is missing, and leads to where it is set. */
export function NoHost({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('registry')
  return (
    <Callout
      tone="info"
      title={t('docker.noHost')}
      actions={
        <ButtonLink size="sm" to={editPath(connection.id, 'registryHost')}>
          {t('docker.setHost')}
        </ButtonLink>
      }
    >
      {t('docker.noHostText')}
    </Callout>
  )
}

function LoginFields({ connection, host }: { readonly connection: ConnectionView; readonly host: string }) {
  const { t } = useTranslation('registry')
  const { data: all = [] } = useCall('resources.keptSecrets', { connectionId: connection.id })
  const kept = all.filter(({ kind }) => kind === 'robot')
  const [chosen, choose] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const secret = kept.find(({ id }) => id === chosen) ?? kept[0]
  if (!secret) {
    return (
      <p className={styles.quiet}>
        {t('docker.noKept')}{' '}
        <ButtonLink size="sm" variant="ghost" to="/registry/robots">
          {t('docker.toRobots')}
        </ButtonLink>
      </p>
    )
  }
  const user = typed ?? secret.name
  return (
    <>
      <div className={styles.pair}>
        <Field label={t('docker.robot')}>
          <Select
            value={secret.id}
            onValueChange={(id) => {
              choose(id)
              setTyped(undefined)
            }}
            options={kept.map(({ id, name, masked }) => ({ value: id, label: name, hint: masked }))}
          />
        </Field>
        <Field label={t('docker.user')} hint={t('docker.userHint')}>
          <TextInput mono value={user} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      </div>
      <ul className={styles.commands} aria-label={t('docker.login')}>
        <CommandLine label={t('docker.login')} line={loginLine({ host, kept: secret.name, user })} />
      </ul>
    </>
  )
}

function ImageFields({ host, repository }: { readonly host: string; readonly repository: string | undefined }) {
  const { t } = useTranslation('registry')
  const [typedRepository, setRepository] = useState('team/agent')
  const [local, setLocal] = useState('my-agent:latest')
  const [tag, setTag] = useState('1.0.0')
  const image = { host, repository: repository ?? typedRepository, tag }
  return (
    <>
      <div className={styles.pair}>
        {repository === undefined ? (
          <Field label={t('docker.repository')}>
            <TextInput mono value={typedRepository} onChange={(event) => setRepository(event.target.value)} />
          </Field>
        ) : null}
        <Field label={t('docker.local')}>
          <TextInput mono value={local} onChange={(event) => setLocal(event.target.value)} />
        </Field>
        <Field label={t('docker.tag')}>
          <TextInput mono value={tag} onChange={(event) => setTag(event.target.value.trim())} />
        </Field>
      </div>
      <ul className={styles.commands} aria-label={t('docker.images')}>
        <CommandLine label={t('docker.doTag')} line={tagLine(image, local)} />
        <CommandLine label={t('docker.push')} line={pushLine(image)} />
        <CommandLine label={t('docker.pull')} line={pullLine(image)} />
      </ul>
    </>
  )
}

/** Ready lines for a terminal: sign in, tag, push, pull. Without a repository it can be typed. */
export function DockerSection({
  connection,
  repository,
}: {
  readonly connection: ConnectionView
  readonly repository?: string
}) {
  const { t } = useTranslation('registry')
  const host = connection.addresses.registryHost
  return (
    <Section title={t('docker.title')} description={t('docker.text')}>
      {host ? (
        <Card>
          <div className={styles.docker}>
            <LoginFields connection={connection} host={host} />
            <ImageFields host={host} repository={repository} />
          </div>
        </Card>
      ) : (
        <NoHost connection={connection} />
      )}
    </Section>
  )
}
