import { Copy, MessageSquareText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { Button } from '../../ui/button'
import type { MenuItem } from '../../ui/menu'
import { useActiveConnection } from '../connections/use-connections'
import type { Subject } from '../resources/resource'
import { ResourceDetailPage, type Shown } from '../resources/resource-detail-page'
import { ResourceListPage } from '../resources/resource-list-page'
import { useCopyAloud } from '../resources/use-row-menu'
import { modelCodeOf, models } from './models'
import { modelSection } from './section'
import { useOpenPlayground } from './use-open-playground'

/** All models, each a press away from its code and from the playground. */
export function ModelsPage() {
  const { t } = useTranslation('models')
  const copy = useCopyAloud()
  const open = useOpenPlayground(useActiveConnection()?.id ?? '')
  const more = ({ row }: Subject): readonly MenuItem[] => {
    const code = modelCodeOf(row)
    return code === ''
      ? []
      : [
          { label: t('models.copyCode'), icon: Copy, onSelect: () => copy(code) },
          { label: t('models.playground'), icon: MessageSquareText, onSelect: () => open(code) },
        ]
  }
  return <ResourceListPage section={modelSection} resource={models} moreItems={more} />
}

function Tools({ shown }: { readonly shown: Shown }) {
  const { t } = useTranslation('models')
  const copy = useCopyAloud()
  const open = useOpenPlayground(shown.connection.id)
  const code = modelCodeOf(shown.subject.row)
  if (code === '') return null
  return (
    <>
      <Button icon={Copy} onClick={() => copy(code)}>
        {t('models.copyCode')}
      </Button>
      <Button variant="primary" icon={MessageSquareText} onClick={() => open(code)}>
        {t('models.playground')}
      </Button>
    </>
  )
}

/** One model with every field that came back. */
export function ModelPage() {
  const { id = '' } = useParams()
  return (
    <ResourceDetailPage section={modelSection} resource={models} id={id} tools={(shown) => <Tools shown={shown} />} />
  )
}
