// The data of the plot comes from the workbench, with what the address of this page asks for.
const place = document.getElementById("plot").dataset.address;
const data = await (await fetch(`${place}/data${location.search}`)).json();
