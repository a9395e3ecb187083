export { dockerPath, images, repositories, robotAccounts, shellWord } from './repositories'
