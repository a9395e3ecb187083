import { useTranslation } from 'react-i18next'
import { useActiveConnection } from '../connections/use-connections'
import { KeptSecrets } from '../resources/kept-secrets'
import { ResourceListPage } from '../resources/resource-list-page'
import { robotAccounts } from './robot-accounts'
import { RobotMade } from './robot-made'
import { registrySection } from './section'

/** All robot accounts, and the secrets of theirs that are kept here. */
export function RobotsPage() {
  const { t } = useTranslation('registry')
  const connection = useActiveConnection()
  return (
    <ResourceListPage
      section={registrySection}
      resource={robotAccounts}
      renderCreated={(answer, name) =>
        connection ? <RobotMade connection={connection} answer={answer} name={name} /> : null
      }
      below={({ id }) => <KeptSecrets connectionId={id} kinds={['robot']} description={t('robots.keptText')} />}
    />
  )
}
