export { BuyAgainSheet } from './buy-sheet'
