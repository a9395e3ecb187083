import { Package } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { images, repositories } from '../registry/repositories'
import {
  findIdentifier,
  type Json,
  LoadedResource,
  readField,
  readName,
  searchedRows,
  sortNewestFirst,
  toText,
  useService,
} from '../resources'

/** Names of fields that may contain a repository's address, most preferred first. The spec does not define them. */
const addressNames = ['uri', 'repositoryUri', 'url', 'repositoryUrl', ...repositories.naming]

/** Maximum number of images in the list. The user can type the address of any other image. */
const maxImages = 100

function RegistryList(props: {
  /** Repository whose images are listed. Undefined lists all repositories. */
  readonly of: Json | undefined
  readonly onPick: (row: Json) => void
}) {
  const { of, onPick } = props
  const { t } = useTranslation('runtimes')
  const [text, setText] = useState('')
  const resource = of === undefined ? repositories : images
  const list = of === undefined ? 'repositories' : 'images'
  const query = useCall('resources.page', {
    connectionId: useService().connection.id,
    operation: resource.list.operation,
    size: maxImages,
    ...(of !== undefined && {
      path: { repoId: findIdentifier(of, repositories.identifier.names) ?? '' },
      query: { name: '' },
    }),
  })
  return (
    <LoadedResource query={query} address={resource.address}>
      {({ rows, totalItems = 0 }) => {
        if (rows.length === 0) {
          return (
            <EmptyState icon={resource.icon} title={t(of === undefined ? 'pick.noRepositories' : 'pick.noImages')}>
              {t('pick.noneText')}
            </EmptyState>
          )
        }
        const foundRows = searchedRows(sortNewestFirst(rows, resource.list.newestBy), text)
        return (
          <div className="grid gap-3">
            <SearchField
              label={t('pick.search')}
              value={text}
              onChange={setText}
              found={{ shown: foundRows.length, count: rows.length }}
            />
            <ul className="divide-y rounded-md border" aria-label={t(`pick.${list}`)}>
              {foundRows.map((row) => {
                const name = readName(row, resource)
                return (
                  <li key={name}>
                    <button
                      type="button"
                      className="flex w-full items-center gap-2 px-3 py-2 text-left font-mono text-sm hover:bg-hover"
                      onClick={() => onPick(row)}
                    >
                      <resource.icon size={15} strokeWidth={1.8} className="flex-none text-faint" aria-hidden="true" />
                      <span className="min-w-0 break-all">{name}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
            {totalItems > rows.length ? (
              <p className="text-muted text-sm">{t('pick.more', { max: maxImages })}</p>
            ) : null}
          </div>
        )
      }}
    </LoadedResource>
  )
}

/** Lets the user select an image from the registry, and writes its address into the form field above. */
export function ImagePicker({ onPick }: { readonly onPick: (address: string) => void }) {
  const { connection } = useService()
  const { t } = useTranslation(['runtimes', 'common'])
  const [isOpen, setIsOpen] = useState(false)
  const [repository, setRepository] = useState<Json>()
  if (connection.addresses.registryApiUrl === undefined) return null
  const show = (open: boolean): void => {
    setRepository(undefined)
    setIsOpen(open)
  }
  const pickImage = (row: Json): void => {
    if (repository === undefined) return void setRepository(row)
    const name = readName(row, images)
    const address = toText(readField(repository, addressNames)).replace(/^https?:\/\//, '')
    // Image reference: repository with tag or digest, unless the name is complete.
    onPick(name.includes('/') ? name : `${address}${name.startsWith('sha256:') ? '@' : ':'}${name}`)
    show(false)
  }
  return (
    <div className="mt-2">
      <Button size="sm" icon={Package} onClick={() => show(true)}>
        {t('pick.label')}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => show(false)}
        title={repository === undefined ? t('pick.title') : readName(repository, repositories)}
        description={t(repository === undefined ? 'pick.repositoryText' : 'pick.imageText')}
        footer={[repository !== undefined && { label: t('pick.back'), onClick: () => setRepository(undefined) }]}
      >
        {isOpen ? <RegistryList key={toText(repository)} of={repository} onPick={pickImage} /> : null}
      </Dialog>
    </div>
  )
}
