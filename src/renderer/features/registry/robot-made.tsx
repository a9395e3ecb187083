import type { ConnectionView, KeptSecret, ResourceAnswer } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { Card, Section } from '../../ui/page'
import { FieldsTree } from '../resources/fields-tree'
import { HeldSecrets } from '../resources/held-secrets'
import { fieldOf, insideOf, textOf } from '../resources/lookup'
import { CommandLine } from './command-line'
import { loginLine } from './docker-lines'
import { NoHost } from './docker-section'
import styles from './registry.module.css'

interface RobotMadeProps {
  readonly connection: ConnectionView
  readonly answer: ResourceAnswer
  readonly name: string
}

function Login({
  connection,
  kept,
  user,
}: {
  readonly connection: ConnectionView
  readonly kept: KeptSecret
  readonly user: string
}) {
  const { t } = useTranslation('registry')
  const host = connection.addresses.registryHost
  if (!host) return <NoHost connection={connection} />
  return (
    <Section title={t('docker.title')}>
      <Card>
        <ul className={styles.commands} aria-label={t('docker.login')}>
          <CommandLine label={t('docker.login')} line={loginLine({ host, kept: kept.name, user })} />
        </ul>
      </Card>
    </Section>
  )
}

/** A robot account that was just made: its secret, told this once, and the line that signs in with it once it is kept. */
export function RobotMade({ connection, answer, name }: RobotMadeProps) {
  const { t } = useTranslation(['registry', 'resources'])
  const [kept, setKept] = useState<KeptSecret>()
  const { data, secrets } = answer
  const user = textOf(fieldOf(insideOf(data), ['username', 'userName', 'user', 'robotName', 'name'])) || name
  return (
    <div className={styles.made}>
      {secrets.length > 0 ? (
        <HeldSecrets
          secrets={secrets}
          connectionId={connection.id}
          keepAs={{ kind: 'robot', name: user }}
          onKept={setKept}
        />
      ) : (
        <Callout tone="info" title={t('registry:robots.noSecret')} />
      )}
      {kept ? (
        <Login {...{ connection, kept, user }} />
      ) : secrets.length > 0 ? (
        <p className={styles.quiet}>{t('registry:robots.keepFirst')}</p>
      ) : null}
      {data === undefined ? null : (
        <Section title={t('resources:allFields')}>
          <Card>
            <FieldsTree data={data} secrets={secrets} />
          </Card>
        </Section>
      )}
    </div>
  )
}
