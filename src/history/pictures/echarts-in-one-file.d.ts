/** The package describes the types of this file under its main name alone. */
declare module "echarts/dist/echarts.esm.min" {
  export { init } from "echarts";
}
